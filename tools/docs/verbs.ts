import nlp from 'compromise/two';

/*
 * The tagger takes a third of a millisecond for a sentence. Most sentences do not need it: they
 * contain a common verb, or begin like a sentence.
 */

const COMMON_VERB =
  /\b(?:accepts|adds|agrees|allows|applies|are|be|becomes|begins|belongs|breaks|calls|can|cannot|carries|comes?|compares|contains|costs?|could|creates|deletes|did|do|does|ends?|exist|exists|expects|fails?|fills|finds?|follows|gets?|gives|had|happens|has|have|hides|ignores|includes|is|keeps?|knows|leaves|lets|makes|may|means|moves|must|names?|needs?|opens|owns|preserves|prints|reaches|reads?|receives|refuses|rejects?|remains|removes|replaces|replays|reports?|requires|returns?|runs?|sees|sends|sets|shows?|skips|starts|stays?|stops|stores|survives?|takes|throws|treats|tries|uses|waits|was|were|will|would|wraps|writes?)\b/;

const BEGINNING =
  /^(?:Applies|Charged|Creates|Deletes|Does|Finds|How|Is|Prints|Reads|Returns|Runs|Sends|Sets|Throws|What|Whether|Writes)\b|\bThrows\b/;

/** Accepts a sentence that begins with its verb, which the tagger alone takes for a noun. */
export const hasVerb = (sentence: string): boolean =>
  COMMON_VERB.test(sentence) ||
  BEGINNING.test(sentence) ||
  nlp(sentence).has('#Verb') ||
  nlp(`it ${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}`).has('#Verb');
