/** Names that a parameter of a strict asynchronous function can't have. */
export const RESERVED_WORDS = new Set(
  ('arguments await break case catch class const continue debugger default delete do else enum eval export extends ' +
    'false finally for function if implements import in instanceof interface let new null package private protected ' +
    'public return static super switch this throw true try typeof var void while with yield').split(' '),
);
