/** Kinds of values, as docs/reference/nodes.md tells what nodes take. */
type Kind =
  | 'whole'
  | 'fraction'
  | 'float'
  | 'bool'
  | 'text'
  | 'key text'
  | 'key'
  | 'adapter'
  | '64 bytes'
  | 'bytes'
  | 'object'
  | 'array';

const WHOLE: Kind[] = ['whole'];
const NUMBER: Kind[] = ['whole', 'fraction', 'float'];
const WALLET: Kind[] = ['adapter', '64 bytes'];

/** What an output of a type may give. */
const GIVEN: Record<string, Kind[]> = {
  u8: WHOLE,
  u16: WHOLE,
  u32: WHOLE,
  u64: WHOLE,
  u128: WHOLE,
  i8: WHOLE,
  i16: WHOLE,
  i32: WHOLE,
  i64: WHOLE,
  i128: WHOLE,
  decimal: ['whole', 'fraction'],
  f32: NUMBER,
  f64: NUMBER,
  bool: ['bool'],
  string: ['text', 'key text'],
  address: ['key text'],
  pubkey: ['key text', 'key', 'adapter', '64 bytes'],
  keypair: WALLET,
  signature: ['64 bytes'],
  bytes: ['key', '64 bytes', 'bytes'],
  object: ['object'],
  array: ['array'],
};

/** What an input of a type takes beyond what an output of that type gives. */
const TAKEN_TOO: Record<string, Kind[]> = {
  decimal: ['float', 'text'],
  pubkey: ['bytes', 'array', 'object'],
  keypair: ['text', 'key text', 'bytes', 'array', 'object'],
  signature: ['text', 'key text', 'bytes', 'array'],
  bytes: ['text', 'key text', 'fraction', 'whole', 'array'],
};

/** Whether a value of an output of one type can suit an input of another. Types that are not known meet all. */
function meet(given: string, wanted: string): boolean {
  const gives = GIVEN[given];
  const takes = GIVEN[wanted];
  if (given === wanted || gives === undefined || takes === undefined) return true;
  return gives.some((kind) => takes.includes(kind) || TAKEN_TOO[wanted]?.includes(kind));
}

/** Whether any of the types that an output may have suits any of those that an input wants. */
export const typesMeet = (given: readonly string[], wanted: readonly string[]): boolean =>
  given.some((type) => wanted.some((bound) => meet(type, bound)));
