import type { Position } from './errors.ts';
import type { Char, Float } from './values.ts';

export type Token =
  & { readonly at: Position }
  & (
    | { readonly kind: 'number'; readonly value: number | bigint | Float }
    | { readonly kind: 'string'; readonly value: string }
    | { readonly kind: 'char'; readonly value: Char }
    /** A piece of a back-tick string. After each piece except the last one, an expression follows. */
    | { readonly kind: 'template'; readonly value: string; readonly isLast: boolean }
    | { readonly kind: 'name' | 'keyword' | 'symbol'; readonly text: string }
    | { readonly kind: 'end' }
  );

/** Keywords of the language. */
export const KEYWORDS = new Set(
  ('true false let const if else switch do while until loop for in continue break return throw try catch fn private this')
    .split(' '),
);

/** Names that Rhai reserves, and names of its module system. Scripts of flows have no module system. */
export const RESERVED = new Set(
  ('import export as eval var static shared goto match case public protected new use with is module package super thread ' +
    'spawn go await async sync yield default void null nil').split(' '),
);

/** Names of Rhai's own functions that variables can't have. */
export const FUNCTION_WORDS = new Set('print debug type_of Fn call curry is_shared is_def_fn is_def_var'.split(' '));

/** Keywords of features that scripts of flows don't have. */
export const MODULE_WORDS = new Set(['import', 'export', 'eval']);

/** Symbols, the longest first, so that the first match is the longest. */
export const SYMBOLS = (
  '**= <<= >>= ..= === !== ... ::< || && == != <= >= << >> ** += -= *= /= %= &= |= ^= => .. ?. ?[ ?? :: := ++ -- -> <- |> #{ ' +
  '(* *) #! !. :; + - * / % & | ^ ! < > = . , ; : ( ) [ ] { } ? # @ $ ~'
).split(' ');

/** Symbols that Rhai reserves. */
export const RESERVED_SYMBOLS = new Set('=== !== ... ::< (* *) #! !. :; := ++ -- -> <- |> ? # @ $ ~'.split(' '));
