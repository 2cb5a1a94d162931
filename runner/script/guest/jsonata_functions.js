import { base64, base64nopad } from '@scure/base';
import jsonata from 'jsonata';
import { plainDigits } from '../../../types/values/number_text.ts';
import { numberFor } from './jsonata_literals.js';

// JSONata's functions, where they would not treat an Exact as a number, or where they need a browser. All other
// functions and operators of JSONata treat an Exact correctly: they compare it for equality, and refuse it like a text
// where they want a number.

const { isExact, tooManyDigits } = globalThis.guest;

const isFunction = (value) =>
  typeof value === 'function' || value?._jsonata_function === true || value?._jsonata_lambda === true;

/** An error of JSONata. JSONata itself adds the text of the code. */
const fault = (code, members) => Object.assign(new Error(code), { code, ...members });

const refuse = (value) => {
  throw new Error(tooManyDigits(value));
};

/** True for an Exact, and for a list that has one at any depth. JSONata takes an object without members for false. */
const isTrue = (value) => Array.isArray(value) ? value.some(isTrue) : isExact(value);

const truth = (value) => isTrue(value) ? true : value;

/** The value that the expression reads. */
let input;
/** The numbers in the input; undefined until they are needed. */
let numbers;

export const setInput = (value) => {
  input = value;
};

function addNumbers(value, found) {
  if (typeof value === 'number') found.add(value);
  else if (typeof value === 'object' && value !== null) Object.values(value).forEach((each) => addNumbers(each, found));
  return found;
}

/**
 * The number that a text shows. JSONata rounds numbers to 15 digits. This hides the errors of computing, but would change
 * a number of the input.
 */
function shownNumber(number) {
  const rounded = Number(number.toPrecision(15));
  if (Number.isInteger(number) || rounded === number) return number;
  numbers ??= addNumbers(input, new Set());
  return numbers.has(number) ? number : rounded;
}

function toText(value, isPretty = false) {
  if (value === undefined || typeof value === 'string') return value;
  if (isFunction(value)) return '';
  if (isExact(value)) return String(value);
  if (typeof value === 'number' && !Number.isFinite(value)) throw fault('D3001', { value });
  const shown = Array.isArray(value) && value.outerWrapper ? value[0] : value;
  return JSON.stringify(shown, (_, each) => {
    if (typeof each === 'number' && Number.isFinite(each)) return shownNumber(each);
    return isFunction(each) ? '' : each;
  }, isPretty ? 2 : 0);
}

/** A deep copy. JSONata's own copy goes through JSON. */
function clone(value) {
  if (typeof value !== 'object' || value === null || isExact(value)) return value;
  if (Array.isArray(value)) return value.map(clone);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, clone(each)]));
}

/** Each character stands for a byte, as JSONata's reference says. */
function encodeBase64(text) {
  if (text === undefined) return undefined;
  const bytes = Uint8Array.from({ length: text.length }, (_, index) => {
    const code = text.charCodeAt(index);
    if (code > 255) throw new Error(`$base64encode: character ${index + 1} is beyond U+00FF`);
    return code;
  });
  return base64.encode(bytes);
}

function decodeBase64(text) {
  if (text === undefined) return undefined;
  const digits = text.replaceAll(/[\s=]/g, '').replaceAll('-', '+').replaceAll('_', '/');
  let bytes;
  try {
    bytes = base64nopad.decode(digits);
  } catch {
    throw new Error('$base64decode: the text is not base64');
  }
  let decoded = '';
  for (const byte of bytes) decoded += String.fromCharCode(byte);
  return decoded;
}

/** Answers for an Exact by another function. */
const ofExact = (answer) => (old) =>
  function (value, ...others) {
    return isExact(value) ? answer(value) : old.call(this, value, ...others);
  };

/** Judges the result of the given function as JSONata judges conditions. */
const testing = (old) =>
  function (value, test) {
    if (test === undefined) return old.call(this, value);
    const tested = async (...given) => truth(await test(...given));
    return old.call(this, value, Object.assign(tested, { arity: test.arity }));
  };

const refuseArgument = (token) => {
  throw fault('T0410', { index: 1, token });
};

/** Refuses an Exact where JSONata expects an object. */
const refusesExact = (name) => ofExact(() => refuseArgument(name));

const asNumber = (old) => (value) => {
  if (isExact(value)) return value;
  if (typeof value === 'object' && value !== null) refuseArgument('number');
  return typeof value === 'string' && /^-?\d+(?:\.\d+)?$/.test(value) ? numberFor(plainDigits(value)) : old(value);
};

const merging = (old) => (objects) => {
  if ([objects].flat().some(isExact)) throw fault('T0412', { index: 1, token: 'merge', type: 'objects' });
  return old(objects);
};

const sorting = (old) =>
  function (list, comparator) {
    const found = comparator === undefined && [list].flat().find(isExact);
    return found ? refuse(found) : old.call(this, list, comparator);
  };

/** Refuses an Exact as an index. All other results of a filter are positions or conditions. */
function index(value) {
  const list = [value].flat();
  const found = list.find(isExact);
  return found !== undefined && list.every((each) => isExact(each) || typeof each === 'number')
    ? refuse(found)
    : truth(value);
}

/** Makes each function from the function that it replaces. */
const REPLACED = {
  string: () => toText,
  clone: () => clone,
  base64encode: () => encodeBase64,
  base64decode: () => decodeBase64,
  type: ofExact(() => 'number'),
  boolean: (old) => (value) => old(truth(value)),
  not: (old) => (value) => old(truth(value)),
  spread: ofExact((value) => value),
  number: asNumber,
  merge: merging,
  sort: sorting,
  each: refusesExact('each'),
  sift: (old) => refusesExact('sift')(testing(old)),
  filter: testing,
  single: testing,
};

/** Functions through which `jsonata_literals.js` leads parts of an expression. */
const OWN = {
  '\0text': (value) => typeof value === 'object' && value !== null || typeof value === 'number' ? toText(value) : value,
  '\0truth': truth,
  '\0index': index,
};

/** The functions as objects of JSONata. */
const made = {};

const valueOf = (expression) => expression.evaluate({});

/** Makes the functions. The realm is saved with them, after it has run its jobs. */
async function makeFunctions() {
  for (const [name, make] of Object.entries(REPLACED)) {
    const old = await valueOf(jsonata(`$${name}`));
    made[name] = { ...old, implementation: make(old.implementation) };
  }
  // $number takes an Exact, which is an object.
  const expression = jsonata('$number');
  expression.registerFunction('number', made.number.implementation, '<(nsbo)-:n>');
  made.number = await valueOf(expression);
  for (const [name, implementation] of Object.entries(OWN)) made[name] = { _jsonata_function: true, implementation };
}

makeFunctions();

/** Gives an expression the functions. */
export function assignFunctions(expression) {
  for (const name of Object.keys(made)) expression.assign(name, made[name]);
}
