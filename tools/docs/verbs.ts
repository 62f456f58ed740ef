import nlp from 'compromise/two';

/*
 * The tagger takes a third of a millisecond for a sentence. Most sentences do not need it, because
 * they contain a common verb.
 */

const VERB =
  /\b(?:accepts|adds|agrees|allows|applies|are|arrives|asks|be|becomes|begins|belongs|can|cannot|carries|charged|comes?|compares|compiles|contains|continues|could|creates|decides|decodes|deletes|describes|did|differs|do|does|encrypts|exist|exists|expects|fails|fills|follows|gets|gives|goes|had|handles|happens|has|have|hides|ignores|implements|includes|inserts|is|joins|knows|leaves|lets|listens|loads|looks|loses|makes|may|means|moves|must|needs|occurs|opens|owns|parses|passes|preserves|prints|reaches|receives|refuses|rejects|remains|removes|repeats|replaces|replays|requires|resolves|returns|sees|sends|serves|sets|skips|stores|survives|takes|throws|treats|tries|uses|verifies|waits|was|were|will|works|would|wraps)\b|^(?:how|what|whether)\b/i;

/** These are nouns too, which a noun phrase may begin with. */
const VERB_WITHIN =
  /\b(?:calls|costs?|ends?|finds?|get|keeps?|names?|need|reads?|reject|reports?|return|runs?|shows?|starts|stays?|stops|survive|writes?)\b/;

/** A comment may begin with these verbs. */
const VERB_FIRST = /^(?:Finds|Reads|Runs|Shows|Starts|Stops|Writes)\b/;

/** Accepts a sentence that begins with its verb, which the tagger alone takes for a noun. */
export const hasVerb = (sentence: string): boolean =>
  VERB.test(sentence) ||
  VERB_WITHIN.test(sentence) ||
  VERB_FIRST.test(sentence) ||
  nlp(sentence).has('#Verb') ||
  nlp(`it ${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}`).has('#Verb');

const AUXILIARY = /^(?:are|can|cannot|do|does|has|have|is|may|must|was|were|will)\b/;

/** Whether a sentence has no subject of its own. */
export const beginsWithVerb = (sentence: string): boolean =>
  AUXILIARY.test(sentence) || (/^[a-z]+s\b/.test(sentence) && nlp(`it ${sentence}`).has('^it #Verb'));
