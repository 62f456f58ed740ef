/** The keys that tests press beside characters. */
export type KeyName = 'Tab' | 'Enter' | 'Backspace' | 'Delete' | 'Home' | 'ArrowLeft' | 'ArrowRight';

/** A page of one engine, which is operated as a person does it: by keys and clicks. */
export interface EnginePage {
  open(url: string): Promise<void>;
  back(): Promise<void>;
  /** The JSON value of an expression in the page, promises awaited. */
  evaluate(expression: string): Promise<any>;
  /**
   * Does the same in a frame of another site, by its number among the frames of the page. In WebKit
   * it gives that frame the focus.
   */
  evaluateInFrame(index: number, expression: string): Promise<any>;
  /** Types into what has the focus, in the page or in a frame. */
  type(text: string): Promise<void>;
  press(key: KeyName, modifiers?: { readonly shift?: boolean }): Promise<void>;
  /** Clicks the middle of the first element of a selector. */
  click(selector: string): Promise<void>;
  /** CSS pixels of the window's content. WebKit has at least 447 in a row. */
  resize(width: number, height: number): Promise<void>;
}

export interface Engine {
  /** Returns a page, which is the only one in WebKit. */
  newPage(): Promise<EnginePage>;
  close(): Promise<void>;
}
