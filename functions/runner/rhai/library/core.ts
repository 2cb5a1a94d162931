import { Decimal } from '../../../../types/decimal.ts';
import { debugText, displayText } from '../display.ts';
import { compareValues, intToDecimal } from '../equality.ts';
import { NativeSet } from '../native.ts';
import { type Run, ScriptExit } from '../run.ts';
import { Float, FnPointer, isInt, Range, type RhaiValue, Sequence, typeName } from '../values.ts';
import { toPointer } from './args.ts';

const FUNCTION_NAME = /^[A-Za-z_]\w*$/;

/** A value's text, which is paid for. */
function shown(run: Run, text: string): string {
  run.chargeText(text.length);
  return run.newText(text);
}

/** Functions of every value. */
export const anyFunctions = new NativeSet()
  .method('type_of', 0, (_, self) => typeName(self))
  .method('to_string', 0, (run, self) => shown(run, displayText(self)))
  .writer('take', 0, (run, self, _, ref) => {
    ref.set(null);
    return run.release(self);
  })
  .method('to_debug', 0, (run, self) => shown(run, debugText(self)));

export const fnFunctions = new NativeSet<FnPointer>()
  .property('name', (_, self) => self.name)
  .property('is_anonymous', (_, self) => self.closure !== undefined)
  .method('curry', [1, 255], (run, self, args) => {
    const curried = [...self.curried, ...args];
    run.checkLength(curried.length);
    run.charge(curried.length);
    return new FnPointer(self.name, curried, self.captured, self.closure);
  });

/** Numbers from one to before another; in steps, which may be negative. */
function stepRange(run: Run, args: readonly RhaiValue[]): RhaiValue | undefined {
  const [first, second, third] = args;
  if (first instanceof Range && third === undefined) {
    if (first.isInclusive) return undefined;
    return stepRange(run, second === undefined ? [first.start, first.end] : [first.start, first.end, second]);
  }
  if (first === undefined || second === undefined) return undefined;
  if (isInt(first) && isInt(second) && third === undefined) return new Range(first, second, false);
  if (third === undefined) return undefined;
  const kinds = [first, second, third];
  const isUniform = kinds.every(isInt) || kinds.every((kind) => kind instanceof Float) ||
    kinds.every((kind) => kind instanceof Decimal);
  if (!isUniform) return undefined;
  const direction = compareValues(third, 0) ?? 0;
  if (direction === 0) return run.fail('Arithmetic', 'step value cannot be zero');
  return new Sequence('iterator', () => steps(first, second, third, direction));
}

function* steps(start: RhaiValue, end: RhaiValue, step: RhaiValue, direction: number): Iterable<RhaiValue> {
  let value: RhaiValue | undefined = start;
  while (value !== undefined && (compareValues(value, end) ?? 0) * direction < 0) {
    yield value;
    value = nextStep(value, step);
  }
}

/** Undefined when there is no room for it. */
function nextStep(value: RhaiValue, step: RhaiValue): RhaiValue | undefined {
  if (isInt(value) && isInt(step)) {
    // The end is 64 bits wide: what is beyond it is never given.
    const sum = BigInt(value) + BigInt(step);
    return sum >= Number.MIN_SAFE_INTEGER && sum <= Number.MAX_SAFE_INTEGER ? Number(sum) : sum;
  }
  if (value instanceof Float && step instanceof Float) {
    const next = value.value + step.value;
    // A step too small to make a difference would go on for ever.
    return next === value.value ? undefined : new Float(next);
  }
  return value instanceof Decimal && step instanceof Decimal ? value.plus(step) : undefined;
}

/** A decimal from a number or its text. */
export function makeDecimal(run: Run, value: RhaiValue | undefined): Decimal | undefined {
  if (value instanceof Decimal) return value;
  if (value === undefined) return undefined;
  const [isKnown, decimal] = value instanceof Float
    ? [true, Decimal.fromNumber(value.value)]
    : isInt(value)
    ? [true, intToDecimal(value)]
    : typeof value === 'string'
    ? [true, parseDecimalText(value)]
    : [false, undefined];
  if (isKnown && decimal === undefined) run.fail('Runtime', `No decimal: ${displayText(value)}`);
  return decimal;
}

/** A decimal's text, with an exponent or none. */
export function parseDecimalText(text: string): Decimal | undefined {
  const trimmed = text.trim();
  if (trimmed.length > 1_000) return undefined;
  return Decimal.parse(trimmed) ??
    (/^[+-]?[\d.]+e[+-]?\d{1,3}$/i.test(trimmed) ? Decimal.parseNumber(trimmed) : undefined);
}

/** Functions without a subject. */
export const plainFunctions = new NativeSet<null>()
  .method('print', [0, 1], (run, _, [value = null]) => {
    const text = displayText(value);
    run.chargeText(text.length);
    run.hooks.onPrint(text);
    return null;
  })
  .method('debug', [0, 1], (run, _, [value = null]) => {
    const text = debugText(value);
    run.chargeText(text.length);
    run.hooks.onDebug(text, run.at);
    return null;
  })
  .method('exit', [0, 1], (_, __, [value = null]) => {
    throw new ScriptExit(value);
  })
  .method('Fn', 1, (run, _, [name]) => {
    if (name instanceof FnPointer) return name;
    const pointer = toPointer(name);
    if (pointer !== undefined && !FUNCTION_NAME.test(pointer.name)) {
      run.fail('FunctionNotFound', `Invalid function name: ${debugText(name ?? null)}`);
    }
    return pointer;
  })
  .method('is_def_fn', 2, (run, _, [name, arity]) => {
    return typeof name === 'string' && typeof arity === 'number' ? run.functions.has(`${name}/${arity}`) : undefined;
  })
  .method('range', [1, 3], (run, _, args) => stepRange(run, args))
  .method('PI', 0, () => new Float(Math.PI))
  .method('E', 0, () => new Float(Math.E))
  .method('utc_now', 0, (run) => new Date(run.hooks.now()).toISOString())
  .method('Decimal', 1, (run, _, [value]) => makeDecimal(run, value));
