import { expect, it } from 'vitest';
import { meter } from '../../dev/script/meter.ts';

const section = (id: number, ...body: number[]): number[] => [id, body.length, ...body];
const name = (text: string): number[] => [text.length, ...new TextEncoder().encode(text)];

/**
 * The bodies of two functions. The instructions of SPIN are loop, br 0, end. Those of FILL are local.get 0, 1, 2 and
 * memory.fill.
 */
const SPIN = [7, 0, 0x03, 0x40, 0x0c, 0, 0x0b, 0x0b];
const FILL = [11, 0, 0x20, 0, 0x20, 1, 0x20, 2, 0xfc, 11, 0, 0x0b];

/** A module with a memory and two functions: `spin` never ends, and `fill` fills bytes at once. */
const MODULE = Uint8Array.from([
  0x00,
  0x61,
  0x73,
  0x6d,
  1,
  0,
  0,
  0,
  // The types of the functions: () → (), and (i32, i32, i32) → ().
  ...section(1, 2, 0x60, 0, 0, 0x60, 3, 0x7f, 0x7f, 0x7f, 0),
  ...section(2, 1, ...name('a'), ...name('a'), 2, 1, 1, 0x80, 0x02),
  ...section(3, 2, 0, 1),
  ...section(6, 1, 0x7f, 1, 0x41, 5, 0x0b),
  ...section(7, 2, ...name('spin'), 0, 0, ...name('fill'), 0, 1),
  ...section(
    10,
    2,
    ...SPIN,
    ...FILL,
  ),
]);

class Refused extends Error {}

async function load(fuel: number) {
  let asked = 0;
  let left = 0;
  const { instance } = await WebAssembly.instantiate(meter(MODULE, 2), {
    a: { a: new WebAssembly.Memory({ initial: 2, maximum: 256 }) },
    meter: {
      refuel: () => {
        asked += 1;
        if (left-- <= 0) throw new Refused();
        (instance.exports.fuel as WebAssembly.Global).value = fuel;
      },
    },
  });
  const { spin, fill, fuel: counter, stack_pointer: stackPointer } = instance.exports as unknown as {
    spin: () => void;
    fill: (at: number, byte: number, bytes: number) => void;
    fuel: WebAssembly.Global;
    stack_pointer: WebAssembly.Global;
  };
  counter.value = fuel;
  return { spin, fill, counter, stackPointer, asked: () => asked, allow: (times: number) => void (left = times) };
}

it('an endless loop asks again and again, and ends when the host refuses', async () => {
  const { spin, asked, allow } = await load(1_000);
  allow(3);
  expect(spin).toThrow(Refused);
  expect(asked()).toBe(4);
});

it('bytes that are filled at once count, 64 for each unit', async () => {
  const { fill, counter } = await load(10_000);
  fill(0, 1, 64 * 1_000);
  // The call itself takes one unit.
  expect(counter.value).toBe(10_000 - 1_001);
  expect(() => fill(0, 1, 0xffffffff)).toThrow(Refused);
});

it('the stack pointer is exported', async () => {
  expect((await load(1)).stackPointer.value).toBe(5);
});

it('a module with an instruction that is not read is refused', () => {
  const unknown = MODULE.map((byte, index) => index === MODULE.length - 4 ? 0xfd : byte);
  expect(() => meter(unknown, 2)).toThrow('is not supported');
});
