import type { Capture, Variable, VisibleNames } from './ast.ts';

/** The variables of a block by name. Variables of the same name are in the order of their definitions. */
type Block = Map<string, Variable[]>;

/** Returns the last variable before a slot. Variables that are defined later have greater slots. */
function lastBefore(variables: readonly Variable[], slot: number): Variable | undefined {
  let [low, high] = [0, variables.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (variables[middle]!.slot < slot) low = middle + 1;
    else high = middle;
  }
  return variables[low - 1];
}

/**
 * The variables of one function while it is parsed. A function sees its own variables. A closure also sees the
 * variables of the function around it.
 */
export class FunctionScope {
  /** The function around a closure. */
  readonly #outer: FunctionScope | undefined;
  /** True if the function is the script itself. */
  readonly isTop: boolean;
  /** The blocks around the current position. In a closure, the outermost block also holds the captured variables. */
  readonly #blocks: Block[] = [new Map()];
  #count = 0;
  slotCount = 0;
  readonly captures: Capture[] = [];
  /** Variables of the top level that the script uses without defining them. */
  readonly given = new Map<string, Variable>();
  /**
   * The variables of the catch clauses around the current position, the innermost last. A throw without a value throws
   * the caught error of the last entry again. A tried block adds undefined, so that a throw in the block does not throw
   * the error of an outer clause again.
   */
  readonly caught: (Variable | undefined)[] = [];
  loopDepth = 0;

  constructor(outer: FunctionScope | undefined, isTop: boolean) {
    this.#outer = outer;
    this.isTop = isTop;
  }

  get isTopLevel(): boolean {
    return this.isTop && this.#blocks.length === 1;
  }

  enter(): void {
    this.#blocks.push(new Map());
  }

  leave(): void {
    this.#count -= this.#blocks.pop()?.size ?? 0;
  }

  declare(name: string, isConstant = false): Variable {
    const block = this.#blocks.at(-1)!;
    // A variable replaces an earlier variable of the same name in the same block.
    if (!block.has(name)) this.#count++;
    const slot = this.slotCount++;
    return this.#add(block, { name, slot, isConstant, isGiven: false, isCaptured: false, count: this.#count });
  }

  #add(block: Block, variable: Variable): Variable {
    const sameName = block.get(variable.name);
    if (sameName === undefined) block.set(variable.name, [variable]);
    else sameName.push(variable);
    return variable;
  }

  /** Finds a variable by name; undefined if a function of the script does not have it. */
  find(name: string): Variable | undefined {
    for (let depth = this.#blocks.length - 1; depth >= 0; depth--) {
      const variable = this.#blocks[depth]!.get(name)?.at(-1);
      if (variable !== undefined) return variable;
    }
    const outer = this.#outer?.find(name);
    if (outer !== undefined) return this.#capture(outer);
    return this.isTop ? this.declareGiven(name) : undefined;
  }

  #capture(outer: Variable): Variable {
    outer.isCaptured = true;
    const inner = { ...outer, slot: this.slotCount++, count: ++this.#count };
    this.captures.push({ outer, inner });
    return this.#add(this.#blocks[0]!, inner);
  }

  declareGiven(name: string): Variable {
    const known = this.given.get(name);
    if (known !== undefined) return known;
    const variable = { name, slot: this.slotCount++, isConstant: false, isGiven: true, isCaptured: false, count: 0 };
    this.given.set(name, variable);
    return variable;
  }

  /**
   * Returns functions that search for names that are defined at the current position. Returns functions and not lists
   * of names, because lists for many positions would take too much memory.
   */
  visibleNames(): VisibleNames {
    const [blocks, slot, outer] = [[...this.#blocks], this.slotCount, this.#outer?.visibleNames()];
    const find = (name: string): Variable | undefined => {
      for (let depth = blocks.length - 1; depth >= 0; depth--) {
        const variable = lastBefore(blocks[depth]!.get(name) ?? [], slot);
        if (variable !== undefined) return variable;
      }
      return undefined;
    };
    return {
      find,
      has: (name) => find(name) !== undefined || outer?.has(name) === true,
      seesGiven: this.isTop || outer?.seesGiven === true,
      blockCount: blocks.length + (outer?.blockCount ?? 0),
    };
  }
}
