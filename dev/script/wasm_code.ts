import { leb, type Reader, reader, readLeb, signedLeb, takeLeb } from './wasm_bytes.ts';

/** The facts about a function and its module that are needed to change the function's code. */
interface CodePlace {
  /** The number of parameters of the function. */
  parameters: number;
  /** The index of the global that counts down. */
  fuel: number;
  /** The index of the imported function that is called when the counter falls below zero. */
  refuel: number;
  /** Returns the new index of the function with this old index. */
  moved: (index: number) => number;
}

/** One unit of fuel pays for copying or filling 2^BULK_SHIFT bytes. */
const BULK_SHIFT = 6;

/** Opcodes. Source: WebAssembly core specification, 5.4. */
const OP = {
  loop: 0x03,
  end: 0x0b,
  call: 0x10,
  localGet: 0x20,
  localTee: 0x22,
  globalGet: 0x23,
  globalSet: 0x24,
} as const;
const I32 = { const: 0x41, ltS: 0x48, sub: 0x6b, shrU: 0x76, type: 0x7f } as const;
const IF_VOID = [0x04, 0x40];

/** Copies the immediates of an instruction unchanged. Throws for instructions that the module should not have. */
function immediates(opcode: number, bytes: Reader): number[] {
  // Control: unreachable, nop, else, end, return; drop, select; numeric instructions.
  if ([0x00, 0x01, 0x05, OP.end, 0x0f, 0x1a, 0x1b].includes(opcode)) return [];
  if (opcode >= 0x45 && opcode <= 0xc4) return [];
  // The immediate of a block is a type; that of a branch, local, global or table is an index; that of a constant is a
  // number; memory.size has one byte.
  if ((opcode >= 0x02 && opcode <= 0x04) || opcode === 0x0c || opcode === 0x0d) return takeLeb(bytes);
  if (opcode >= 0x20 && opcode <= 0x26) return takeLeb(bytes);
  if (opcode >= 0x3f && opcode <= 0x42) return takeLeb(bytes);
  if (opcode === 0x43) return [...bytes.take(4)];
  if (opcode === 0x44) return [...bytes.take(8)];
  // Loads and stores: alignment and offset.
  if (opcode >= 0x28 && opcode <= 0x3e) return [...takeLeb(bytes), ...takeLeb(bytes)];
  // call_indirect: type and table.
  if (opcode === 0x11) return [...takeLeb(bytes), ...takeLeb(bytes)];
  if (opcode === 0x0e) {
    const count = readLeb(bytes);
    return [...leb(count), ...Array.from({ length: count + 1 }, () => takeLeb(bytes)).flat()];
  }
  throw new Error(`the instruction 0x${opcode.toString(16)} is not supported`);
}

/**
 * Copies the instructions of a function. Adds instructions that count the passes of its loops, its calls, and the bytes
 * that it copies or fills at once.
 */
export function readCode(code: Uint8Array, { parameters, fuel, refuel, moved }: CodePlace): number[] {
  const bytes = reader(code, 0);
  const groups = Array.from({ length: readLeb(bytes) }, () => ({ count: readLeb(bytes), type: bytes.byte() }));
  const length = parameters + groups.reduce((sum, { count }) => sum + count, 0);
  const count = (cost: number[]) => [
    OP.globalGet,
    ...leb(fuel),
    ...cost,
    I32.sub,
    OP.globalSet,
    ...leb(fuel),
    OP.globalGet,
    ...leb(fuel),
    I32.const,
    0,
    I32.ltS,
    ...IF_VOID,
    OP.call,
    ...leb(refuel),
    OP.end,
  ];
  const one = count([I32.const, ...signedLeb(1)]);
  // The number of bytes is on the stack; `local.tee` copies it to a local variable and leaves it on the stack.
  const bulk = [OP.localTee, ...leb(length), ...count([OP.localGet, ...leb(length), I32.const, BULK_SHIFT, I32.shrU])];
  const written: number[] = [];
  for (const { count: same, type } of [...groups, { count: 1, type: I32.type }]) written.push(...leb(same), type);
  const head = [...leb(groups.length + 1), ...written, ...one];
  const body: number[] = [];
  while (bytes.at < code.length) {
    const opcode = bytes.byte();
    if (opcode === OP.call) body.push(opcode, ...leb(moved(readLeb(bytes))));
    else if (opcode === 0xfc) body.push(...longInstruction(bytes, bulk));
    else {
      body.push(opcode, ...immediates(opcode, bytes));
      if (opcode === OP.loop) body.push(...one);
    }
  }
  return head.concat(body);
}

/** Copies an instruction of two bytes: saturating conversions, memory.copy and memory.fill. */
function longInstruction(bytes: Reader, bulk: number[]): number[] {
  const kind = readLeb(bytes);
  if (kind <= 7) return [0xfc, kind];
  if (kind === 10) return [...bulk, 0xfc, kind, ...bytes.take(2)];
  if (kind === 11) return [...bulk, 0xfc, kind, ...bytes.take(1)];
  throw new Error(`the instruction 0xfc ${kind} is not supported`);
}
