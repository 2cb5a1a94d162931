import type { Capture, Variable, VisibleNames } from './ast.ts';

/** The variables of one function while it is parsed: a function sees its own, a closure those around it too. */
export class FunctionScope {
  /** The function that a closure is in. */
  readonly #outer: FunctionScope | undefined;
  readonly #isTop: boolean;
  readonly #blocks: Variable[][] = [[]];
  #count = 0;
  slotCount = 0;
  readonly captures: Capture[] = [];
  /** Names of the top level that nothing defines. */
  readonly given = new Map<string, Variable>();
  /** Catch clauses around the current place, so that a bare throw knows what to throw again; undefined for a block that is tried. */
  readonly caught: (Variable | undefined)[] = [];
  loopDepth = 0;

  constructor(outer: FunctionScope | undefined, isTop: boolean) {
    this.#outer = outer;
    this.#isTop = isTop;
  }

  get isTopLevel(): boolean {
    return this.#isTop && this.#blocks.length === 1;
  }

  enter(): void {
    this.#blocks.push([]);
  }

  leave(): void {
    this.#count -= this.#blocks.pop()?.length ?? 0;
  }

  declare(name: string, isConstant = false): Variable {
    const variable = {
      name,
      slot: this.slotCount++,
      isConstant,
      isGiven: false,
      isCaptured: false,
      count: ++this.#count,
    };
    this.#blocks.at(-1)?.push(variable);
    return variable;
  }

  /** The variable of a name; undefined in a function that has none. */
  find(name: string): Variable | undefined {
    for (const block of this.#blocks.toReversed()) {
      const variable = block.findLast((candidate) => candidate.name === name);
      if (variable !== undefined) return variable;
    }
    const outer = this.#outer?.find(name);
    if (outer !== undefined) return this.#capture(outer);
    return this.#isTop ? this.#declareGiven(name) : undefined;
  }

  #capture(outer: Variable): Variable {
    const known = this.captures.find((capture) => capture.outer === outer);
    if (known !== undefined) return known.inner;
    outer.isCaptured = true;
    const inner = { ...outer, slot: this.slotCount++, count: ++this.#count };
    this.captures.push({ outer, inner });
    return inner;
  }

  #declareGiven(name: string): Variable {
    const known = this.given.get(name);
    if (known !== undefined) return known;
    const variable = { name, slot: this.slotCount++, isConstant: false, isGiven: true, isCaptured: false, count: 0 };
    this.given.set(name, variable);
    return variable;
  }

  /** Every name that is defined here. */
  visibleNames(): VisibleNames {
    const outer = this.#outer?.visibleNames() ?? { own: new Set<string>(), seesGiven: this.#isTop };
    return { own: new Set([...outer.own, ...this.#blocks.flat().map(({ name }) => name)]), seesGiven: outer.seesGiven };
  }
}
