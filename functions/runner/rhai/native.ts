import type { Ref } from './refs.ts';
import type { Run } from './run.ts';
import type { RhaiValue, TypeTag } from './values.ts';

/** A built-in function: undefined means that there is none for arguments of these types. */
export type NativeCall = (run: Run, self: RhaiValue, args: readonly RhaiValue[], ref: Ref) => RhaiValue | undefined;

export interface Native {
  readonly min: number;
  readonly max: number;
  /** It may be read like a property. */
  readonly isProperty: boolean;
  /** It changes what it is called on, which must not be a constant. */
  readonly isWriter: boolean;
  readonly call: NativeCall;
}

/** Functions of one type by name. */
export type NativeMethods = ReadonlyMap<string, Native>;

/** By the type that they belong to; `any` for every type, `none` for those without a subject. */
export type NativeTable = ReadonlyMap<TypeTag | 'any' | 'none', NativeMethods>;

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
