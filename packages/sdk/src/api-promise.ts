/** The parts that a successful response has besides its body. */
export interface ApiResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface WithResponse<T> {
  readonly data: T;
  readonly response: ApiResponse;
}

/** Every method returns this. Awaited, it is the data of the response. */
export interface ApiPromise<T> extends Promise<T> {
  /**
   * The same data with the status and the headers of its response; sends no further request.
   * @example const { data, response } = await client.tokens.retrieve(id).withResponse();
   */
  withResponse(): Promise<WithResponse<T>>;
}
