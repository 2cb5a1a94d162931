import { toInt } from '../integers.ts';
import { NativeSet, type Taking } from '../native.ts';
import { type Blob, Float, isInt, Range, type RhaiValue } from '../values.ts';
import { selectSpan } from './args.ts';

const NUMBER_BYTES = 8;

const utf8 = new TextEncoder();

/** Returns the bytes that a range, or a start and a count, selects. Undefined for other arguments. */
function selectBytes({ bytes }: Blob, args: readonly RhaiValue[]): Uint8Array | undefined {
  if (args.length === 1 && !(args[0] instanceof Range)) return undefined;
  const span = selectSpan(args, bytes.length);
  return span && bytes.subarray(span.from, span.to);
}

/**
 * Reads a number of eight bytes. If fewer bytes are selected, zeros are added at the end, whatever the byte order is.
 */
const parsing = (read: (bytes: DataView) => RhaiValue): Taking<Blob> => (_, self, args) => {
  const selected = selectBytes(self, args);
  if (selected === undefined) return undefined;
  const bytes = new Uint8Array(NUMBER_BYTES);
  bytes.set(selected.subarray(0, NUMBER_BYTES));
  return read(new DataView(bytes.buffer));
};

/**
 * Writes a value over the selected bytes. Bytes that do not fit are dropped. Undefined for a value that has no bytes.
 */
const writing = (bytesOf: (value: RhaiValue) => Uint8Array | undefined): Taking<Blob> => (run, self, args) => {
  const target = selectBytes(self, args.slice(0, -1));
  const value = args.at(-1) ?? null;
  // Charges for all characters, because even those that don't fit are encoded.
  if (typeof value === 'string') run.charge(value.length >> 4);
  const bytes = bytesOf(value);
  if (target === undefined || bytes === undefined) return undefined;
  run.chargeText(target.length);
  target.set(bytes.subarray(0, target.length));
  return null;
};

const numberBytes = (isLittleEndian: boolean) => (value: RhaiValue): Uint8Array | undefined => {
  const view = new DataView(new ArrayBuffer(NUMBER_BYTES));
  if (isInt(value)) view.setBigInt64(0, BigInt(value), isLittleEndian);
  else if (value instanceof Float) view.setFloat64(0, value.value, isLittleEndian);
  else return undefined;
  return new Uint8Array(view.buffer);
};

const textBytes = (value: RhaiValue): Uint8Array | undefined =>
  typeof value === 'string' ? utf8.encode(value) : undefined;

/** Returns the ASCII characters of a text as bytes, and omits all other characters. */
const asciiBytes = (value: RhaiValue): Uint8Array | undefined => textBytes(value)?.filter((byte) => byte < 0x80);

/** Functions that read and write numbers and texts within bytes. */
export const blobNumberFunctions = new NativeSet<Blob>()
  .method('parse_le_int', [1, 2], parsing((bytes) => toInt(bytes.getBigInt64(0, true))))
  .method('parse_be_int', [1, 2], parsing((bytes) => toInt(bytes.getBigInt64(0))))
  .method('parse_le_float', [1, 2], parsing((bytes) => new Float(bytes.getFloat64(0, true))))
  .method('parse_be_float', [1, 2], parsing((bytes) => new Float(bytes.getFloat64(0))))
  .writer('write_le', [2, 3], writing(numberBytes(true)))
  .writer('write_be', [2, 3], writing(numberBytes(false)))
  .writer('write_utf8', [2, 3], writing(textBytes))
  .writer('write_ascii', [2, 3], writing(asciiBytes));
