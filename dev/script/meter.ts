import { readCode } from './wasm_code.ts';
import { leb, type Reader, reader, readLeb, signedLeb, takeLeb, writeVector } from './wasm_bytes.ts';

/** The names of the function that the metered module calls when its fuel is used up, and of the exported counter. */
const REFUEL = { module: 'meter', name: 'refuel' };
const FUEL = 'fuel';
/** Fuel for the start function, which runs before anybody can set `fuel`. */
const START_FUEL = 1_000_000;
const STACK_POINTER = 'stack_pointer';

interface Section {
  id: number;
  body: Uint8Array;
}

/** The ids of the sections that change. Source: WebAssembly core specification, 5.5.2. */
const ID = { type: 1, import: 2, function: 3, global: 6, export: 7, start: 8, element: 9, code: 10 } as const;

function sectionsOf(wasm: Uint8Array): Section[] {
  const bytes = reader(wasm, 8);
  const sections: Section[] = [];
  while (bytes.at < wasm.length) {
    const id = bytes.byte();
    sections.push({ id, body: bytes.take(readLeb(bytes)) });
  }
  return sections;
}

const text = (name: string): number[] => [...leb(name.length), ...new TextEncoder().encode(name)];

/** Appends entries to a section that is a vector. */
function append(body: Uint8Array, ...entries: number[][]): number[] {
  const bytes = reader(body, 0);
  const count = readLeb(bytes);
  return [...leb(count + entries.length), ...bytes.rest(), ...entries.flat()];
}

/** The number of parameters of each function type. */
function parameterCounts(body: Uint8Array): number[] {
  const bytes = reader(body, 0);
  return Array.from({ length: readLeb(bytes) }, () => {
    if (bytes.byte() !== 0x60) throw new Error('every type must be a function type');
    const parameters = readLeb(bytes);
    bytes.take(parameters);
    bytes.take(readLeb(bytes));
    return parameters;
  });
}

/** Reads the imports, which are functions and one memory, and changes the initial size of the memory. */
function readImports(body: Uint8Array, memoryPages: number): { functions: number; entries: number[][] } {
  const bytes = reader(body, 0);
  let functions = 0;
  const entries = Array.from({ length: readLeb(bytes) }, () => {
    const names = [0, 1].flatMap(() => {
      const name = bytes.take(readLeb(bytes));
      return [...leb(name.length), ...name];
    });
    const kind = bytes.byte();
    if (kind === 0) {
      functions += 1;
      return [...names, kind, ...takeLeb(bytes)];
    }
    if (kind !== 2 || bytes.byte() !== 1) throw new Error(`imports of kind ${kind} are not supported`);
    readLeb(bytes);
    return [...names, kind, 1, ...leb(memoryPages), ...takeLeb(bytes)];
  });
  return { functions, entries };
}

const vectorOf = (body: Uint8Array, read: (bytes: Reader) => number[]): number[][] => {
  const bytes = reader(body, 0);
  return Array.from({ length: readLeb(bytes) }, () => read(bytes));
};

/** Gives exported functions their new indices. */
const movedExport = (moved: (index: number) => number) => (bytes: Reader): number[] => {
  const name = [...bytes.take(readLeb(bytes))];
  const kind = bytes.byte();
  const index = readLeb(bytes);
  return [...leb(name.length), ...name, kind, ...leb(kind === 0 ? moved(index) : index)];
};

/** Gives the functions in an active segment of table 0 their new indices. */
const movedSegment = (moved: (index: number) => number) => (bytes: Reader): number[] => {
  if (readLeb(bytes) !== 0) throw new Error('only active segments of table 0 are supported');
  if (bytes.byte() !== 0x41) throw new Error('the offset of a segment must be a constant');
  const place = readLeb(bytes);
  if (bytes.byte() !== 0x0b) throw new Error('the offset of a segment must be a constant');
  const functions = Array.from({ length: readLeb(bytes) }, () => moved(readLeb(bytes)));
  return [0, 0x41, ...leb(place), 0x0b, ...leb(functions.length), ...functions.flatMap(leb)];
};

/**
 * Returns a copy of a WebAssembly module that counts down the exported global `fuel`: by one for each pass of a loop,
 * by one for each call, and by one for each 64 bytes that are copied or filled at once. When `fuel` falls below zero,
 * the module calls `meter.refuel`, which refills `fuel` or throws. So the host can end every computation of the module.
 * The copy also exports its stack pointer, so that the host can reset the pointer after an error. Its memory begins
 * with `memoryPages` pages of 64 KiB.
 */
export function meter(wasm: Uint8Array, memoryPages: number): Uint8Array<ArrayBuffer> {
  const sections = sectionsOf(wasm);
  const body = (id: number): Uint8Array => {
    const section = sections.find((each) => each.id === id);
    if (section === undefined) throw new Error(`the module has no section ${id}`);
    return section.body;
  };
  const parameters = parameterCounts(body(ID.type));
  // The new import comes after the others, so the indices of all functions of the module move by one.
  const { functions: refuel, entries: imports } = readImports(body(ID.import), memoryPages);
  const moved = (index: number): number => index < refuel ? index : index + 1;
  // The only global of the module is its stack pointer.
  const fuel = readLeb(reader(body(ID.global), 0));
  if (fuel !== 1) throw new Error('the module has other globals than its stack pointer');
  const types = vectorOf(body(ID.function), (bytes) => [readLeb(bytes)]).flat();
  const changed: Record<number, () => number[]> = {
    [ID.type]: () => append(body(ID.type), [0x60, 0, 0]),
    [ID.import]: () =>
      writeVector([...imports, [...text(REFUEL.module), ...text(REFUEL.name), 0, ...leb(parameters.length)]]),
    [ID.global]: () => append(body(ID.global), [0x7f, 1, 0x41, ...signedLeb(START_FUEL), 0x0b]),
    [ID.export]: () =>
      writeVector([
        ...vectorOf(body(ID.export), movedExport(moved)),
        [...text(STACK_POINTER), 3, ...leb(0)],
        [...text(FUEL), 3, ...leb(fuel)],
      ]),
    [ID.start]: () => leb(moved(readLeb(reader(body(ID.start), 0)))),
    [ID.element]: () => writeVector(vectorOf(body(ID.element), movedSegment(moved))),
    [ID.code]: () => {
      const bytes = reader(body(ID.code), 0);
      return writeVector(Array.from({ length: readLeb(bytes) }, (_, index) => {
        const code = readCode(bytes.take(readLeb(bytes)), {
          parameters: parameters[types[index]!]!,
          fuel,
          refuel,
          moved,
        });
        return [...leb(code.length), ...code];
      }));
    },
  };
  const written = sections.flatMap(({ id, body: old }) => {
    const now = changed[id]?.() ?? [...old];
    return [[id, ...leb(now.length)], now];
  });
  return Uint8Array.from([...wasm.subarray(0, 8), ...written.flat()]);
}
