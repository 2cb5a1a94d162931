import type { Ref } from './refs.ts';
import type { Native, NativeCall, Run } from './run.ts';
import type { RhaiValue } from './values.ts';

/** A kind of value, as functions take it. */
export type Taking<T extends RhaiValue> = (
  run: Run,
  self: T,
  args: readonly RhaiValue[],
  ref: Ref,
) => RhaiValue | undefined;

/** Collects the functions of one type. */
export class NativeSet<T extends RhaiValue> {
  readonly methods = new Map<string, Native>();

  /** A function that leaves its subject alone. `arity` counts the arguments after it: one number, or least and most. */
  method(names: string, arity: number | [number, number], call: Taking<T>): this {
    return this.#add(names, arity, call, false, false);
  }

  /** As `method` that needs no arguments, and readable as a property too. */
  property(names: string, call: Taking<T>, most = 0): this {
    return this.#add(names, [0, most], call, true, false);
  }

  /** A function that may change its subject. */
  writer(names: string, arity: number | [number, number], call: Taking<T>): this {
    return this.#add(names, arity, call, false, true);
  }

  #add(names: string, arity: number | [number, number], call: Taking<T>, isProperty: boolean, isWriter: boolean): this {
    const [min, max] = typeof arity === 'number' ? [arity, arity] : arity;
    // SAFETY: a table calls the functions of a type with subjects of that type only.
    for (const name of names.split(' ')) {
      this.methods.set(name, { min, max, isProperty, isWriter, call: call as NativeCall });
    }
    return this;
  }
}
