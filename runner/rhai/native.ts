import type { Ref } from './refs.ts';
import type { Native, NativeCall, Run } from './run.ts';
import type { RhaiValue } from './values.ts';

/** A built-in function whose subject is of one type. */
export type Taking<T extends RhaiValue> = (
  run: Run,
  self: T,
  args: readonly RhaiValue[],
  ref: Ref,
) => RhaiValue | undefined;

/** Collects the functions of one type. */
export class NativeSet<T extends RhaiValue> {
  readonly methods = new Map<string, Native>();

  /**
   * Adds a function that does not change its subject. `arity` is the number of arguments after the subject, or the
   * least and the greatest number.
   */
  method(names: string, arity: number | [number, number], call: Taking<T>): this {
    return this.#add(names, arity, call, false, false);
  }

  /**
   * Adds a function that does not change its subject and takes from zero to `most` arguments. Scripts can also read it
   * like a property.
   */
  property(names: string, call: Taking<T>, most = 0): this {
    return this.#add(names, [0, most], call, true, false);
  }

  /** Adds a function that may change its subject. */
  writer(names: string, arity: number | [number, number], call: Taking<T>): this {
    return this.#add(names, arity, call, false, true);
  }

  #add(names: string, arity: number | [number, number], call: Taking<T>, isProperty: boolean, isWriter: boolean): this {
    const [min, max] = typeof arity === 'number' ? [arity, arity] : arity;
    // SAFETY: the table of a type calls its functions only with subjects of that type.
    for (const name of names.split(' ')) {
      this.methods.set(name, { min, max, isProperty, isWriter, call: call as NativeCall });
    }
    return this;
  }
}
