import { Decimal } from '../../../types/values/decimal.ts';
import { functionKey, methodName } from '../parsing/ast.ts';
import { debugText } from '../display.ts';
import { compareValues, intToDecimal } from '../equality.ts';
import { NativeSet } from '../native.ts';
import { type Run, ScriptExit } from '../run.ts';
import { showDebug, showText } from '../showing.ts';
import { KEYWORDS, RESERVED } from '../tokens.ts';
import { Float, FnPointer, isInt, Range, type RhaiValue, Sequence, typeName } from '../values.ts';
import { MAX_NAME_LENGTH, toPointer } from './args.ts';

const FUNCTION_NAME = /^[A-Za-z_]\w*$/;

/** True if a text can be the name of a function. Long names are refused, because each lookup reads the whole name. */
const isFunctionName = (name: string): boolean =>
  name.length <= MAX_NAME_LENGTH && FUNCTION_NAME.test(name) && !KEYWORDS.has(name) && !RESERVED.has(name);

/** The most arguments that a function pointer can be curried with. */
const MAX_ARGUMENTS = 255;

/** Functions of values of any type. */
export const anyFunctions = new NativeSet()
  .method('type_of', 0, (_, self) => typeName(self))
  .method('to_string', 0, (run, self) => run.newText(showText(run, self)))
  .method('is_shared', 0, (_, __, ___, ref) => ref.cell?.isShared ?? false)
  .writer('take', 0, (run, self, _, ref) => {
    ref.set(null);
    return run.detach(self);
  })
  .method('to_debug', 0, (run, self) => run.newText(showDebug(run, self)));

export const fnFunctions = new NativeSet<FnPointer>()
  .property('name', (_, self) => self.name)
  .property('is_anonymous', (_, self) => self.closure !== undefined)
  .method('curry', [1, 255], (run, self, args) => {
    const count = self.curried.items.length + args.length;
    if (count > MAX_ARGUMENTS) run.fail('DataTooLarge', `Too many arguments: more than ${MAX_ARGUMENTS}`);
    run.charge(count);
    return run.curry(self, args);
  });

/** Makes the numbers from one value up to another, exclusive, in steps that may be negative. */
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

/** Returns the next number; undefined if no number follows. */
function nextStep(value: RhaiValue, step: RhaiValue): RhaiValue | undefined {
  if (isInt(value) && isInt(step)) {
    // The sum may exceed 64 bits. It is then beyond the end, so it is only compared and never returned.
    const sum = BigInt(value) + BigInt(step);
    return sum >= Number.MIN_SAFE_INTEGER && sum <= Number.MAX_SAFE_INTEGER ? Number(sum) : sum;
  }
  if (value instanceof Float && step instanceof Float) {
    const next = value.value + step.value;
    // A step that is too small to change the number would never reach the end.
    return next === value.value ? undefined : new Float(next);
  }
  return value instanceof Decimal && step instanceof Decimal ? value.plus(step) : undefined;
}

/** Makes a decimal from a number or its text. */
export function makeDecimal(run: Run, value: RhaiValue | undefined): Decimal | undefined {
  if (value instanceof Decimal) return value;
  if (value === undefined) return undefined;
  const [isKnown, decimal] = value instanceof Float
    ? [true, Decimal.fromNumber(value.value)]
    : isInt(value)
    ? [true, intToDecimal(value)]
    : typeof value === 'string'
    ? [true, parseDecimalText(run, value)]
    : [false, undefined];
  if (isKnown && decimal === undefined) run.fail('Runtime', `Not a decimal: ${showText(run, value).slice(0, 100)}`);
  return decimal;
}

/** Reads the text of a decimal, with or without an exponent, and charges for it. */
export function parseDecimalText(run: Run, text: string): Decimal | undefined {
  run.chargeText(text.length);
  const trimmed = text.trim();
  if (trimmed.length > 1_000) return undefined;
  // Reading a digit takes one arithmetic operation.
  run.charge(trimmed.length);
  return Decimal.parse(trimmed) ??
    (/^[+-]?[\d.]+e[+-]?\d{1,3}$/i.test(trimmed) ? Decimal.parseNumber(trimmed) : undefined);
}

/**
 * Lists the script's own functions, with their names and parameters. If a name or a number of parameters is given,
 * lists only the functions that have it.
 */
function listFunctions(run: Run, _: null, [name, arity]: readonly RhaiValue[]): RhaiValue | undefined {
  if (name !== undefined && typeof name !== 'string') return undefined;
  if (arity !== undefined && typeof arity !== 'number') return undefined;
  run.charge(run.functions.size * 8);
  const about = [...run.functions.values()].map((callee) => {
    // Methods of one type have the name `type.name`.
    const dot = callee.name.lastIndexOf('.');
    return { callee, name: callee.name.slice(dot + 1), type: dot < 0 ? undefined : callee.name.slice(0, dot) };
  });
  const found = about.filter(({ callee, name: own }) =>
    (name === undefined || own === name) && (arity === undefined || callee.params.length === arity)
  );
  return run.newArray(found.map(({ callee, name: own, type }) => {
    const params = run.newArray(callee.params.map((param) => param.name));
    const members = new Map<string, RhaiValue>([['name', own], ['is_anonymous', false], ['params', params]]);
    if (type !== undefined) members.set('this_type', type);
    return run.newMap(members);
  }));
}

/** Functions that have no subject. */
export const plainFunctions = new NativeSet<null>()
  .method('print', [0, 1], (run, _, [value = null]) => {
    const text = showText(run, value);
    run.chargeText(text.length);
    run.hooks.onPrint(text);
    return null;
  })
  .method('debug', [0, 1], (run, _, [value = null]) => {
    const text = showDebug(run, value);
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
    if (pointer !== undefined && !isFunctionName(pointer.name)) {
      run.fail('FunctionNotFound', `Invalid function name: ${debugText(pointer.name.slice(0, 100))}`);
    }
    return pointer;
  })
  .method('is_def_fn', [2, 3], (run, _, args) => {
    const [arity, name, type] = args.toReversed();
    if (typeof arity !== 'number' || typeof name !== 'string') return undefined;
    if (type !== undefined && typeof type !== 'string') return undefined;
    if (name.length > MAX_NAME_LENGTH || (type?.length ?? 0) > MAX_NAME_LENGTH) return false;
    return run.functions.has(functionKey(type === undefined ? name : methodName(type, name), arity));
  })
  .method('get_fn_metadata_list', [0, 2], listFunctions)
  .method('range', [1, 3], (run, _, args) => stepRange(run, args))
  .method('PI', 0, () => new Float(Math.PI))
  .method('E', 0, () => new Float(Math.E))
  .method('timestamp', 0, (run) => Math.floor(run.hooks.now() / 1_000))
  .method('utc_now', 0, (run) => new Date(run.hooks.now()).toISOString())
  .method('Decimal', 1, (run, _, [value]) => makeDecimal(run, value));
