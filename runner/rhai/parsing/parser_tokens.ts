import type { Node } from './ast.ts';
import { type Position, RhaiError } from '../errors.ts';
import { Lexer } from './lexer.ts';
import type { RhaiLimits } from '../limits.ts';
import type { Problem } from './parser_checks.ts';
import { FunctionScope } from './scopes.ts';
import { FUNCTION_WORDS, type Token } from '../tokens.ts';

/** The greatest depth of the tree. Each operator of a chain makes the tree deeper. */
const MAX_TREE_DEPTH = 500;

/** Omits members from each type of a union. Omit itself would merge the types of the union into one. */
type ShapeOf<N> = N extends Node ? Omit<N, 'at' | 'depth'> : never;

/**
 * The state that all parts of the parser share: the current token, the variables in scope, and the depth of nesting.
 */
export class TokenParser {
  protected readonly lexer: Lexer;
  protected token: Token;
  protected scope = new FunctionScope(undefined, true);
  protected readonly limits: RhaiLimits;
  #nesting = 0;

  constructor(source: string, limits: RhaiLimits) {
    this.lexer = new Lexer(source, limits.stringLength);
    this.limits = limits;
    this.token = this.lexer.next();
  }

  protected fail(message: string, at: Position = this.token.at): never {
    throw new RhaiError('Syntax', message, at);
  }

  protected describe(): string {
    const token = this.token;
    switch (token.kind) {
      case 'end':
        return 'the script ends here';
      case 'name':
      case 'keyword':
      case 'symbol':
        return `found '${token.text}'`;
      default:
        return `found a ${token.kind}`;
    }
  }

  protected advance(): Token {
    const token = this.token;
    this.token = this.lexer.next();
    return token;
  }

  protected is(text: string): boolean {
    return (this.token.kind === 'symbol' || this.token.kind === 'keyword') && this.token.text === text;
  }

  protected accept(text: string): boolean {
    if (!this.is(text)) return false;
    this.advance();
    return true;
  }

  protected expect(text: string, purpose: string): void {
    if (!this.accept(text)) this.fail(`Expecting '${text}' ${purpose}, but ${this.describe()}`);
  }

  protected name(purpose: string): string {
    if (this.token.kind !== 'name') this.fail(`Expecting ${purpose}, but ${this.describe()}`);
    const { text } = this.token;
    this.advance();
    return text;
  }

  /** Parses a name, and fails if it can't be the name of a variable, for example because a function of Rhai has it. */
  protected variableName(purpose: string): string {
    const { at } = this.token;
    const name = this.name(purpose);
    if (FUNCTION_WORDS.has(name)) this.fail(`'${name}' is a reserved keyword`, at);
    return name;
  }

  protected refuse(problem: Problem | undefined): void {
    if (problem !== undefined) this.fail(problem.message, problem.node.at);
  }

  protected make<const S extends ShapeOf<Node>>(
    shape: S,
    at: Position,
    children: readonly Node[] = [],
  ): S & Pick<Node, 'at' | 'depth'> {
    const depth = 1 + children.reduce((deepest, child) => Math.max(deepest, child.depth), 0);
    if (depth > MAX_TREE_DEPTH) {
      this.fail(`Expression too long: more than ${MAX_TREE_DEPTH} nested operations`, at);
    }
    return { ...shape, at, depth };
  }

  protected nested<T>(parse: () => T): T {
    if (++this.#nesting > this.limits.sourceDepth) {
      this.fail(`Expression too deep: more than ${this.limits.sourceDepth} levels`);
    }
    const result = parse();
    this.#nesting--;
    return result;
  }
}
