import {
  type BinaryOperator,
  functionKey,
  type FunctionNode,
  methodName,
  type Node,
  type Program,
  type Variable,
} from './ast.ts';
import { type Position, RhaiError } from '../errors.ts';
import type { RhaiLimits } from '../limits.ts';
import { assignmentProblem } from './parser_checks.ts';
import { CLOSED_KINDS, ControlParser } from './parser_control.ts';
import { FunctionScope } from './scopes.ts';

/** Types by their alternative names in scripts. */
const TYPE_ALIASES: Readonly<Record<string, string>> = { int: 'i64', float: 'f64' };

const COMPOUND: ReadonlySet<string> = new Set(['+', '-', '*', '/', '%', '**', '<<', '>>', '&', '|', '^']);

class Parser extends ControlParser {
  readonly #functions = new Map<string, FunctionNode>();

  program(): Program {
    const { at } = this.token;
    const declared: Variable[] = [];
    const body = this.statements(() => this.token.kind === 'end');
    for (const node of body) if (node.kind === 'let') declared.push(node.variable);
    const block = this.make({ kind: 'block', body }, at, body);
    // If a function does not define a name, the name may mean a variable that the script's caller gives. A call can
    // lend that variable to the function.
    if (this.lendsGiven) { for (const name of this.unknownNames) this.scope.declareGiven(name); }
    const main: FunctionNode = {
      name: '',
      params: [],
      captures: [],
      body: block,
      slotCount: this.scope.slotCount,
      depth: block.depth,
      at,
    };
    return { main, given: this.scope.given, declared, functions: this.#functions };
  }

  protected statements(isEnd: () => boolean): Node[] {
    const nodes: Node[] = [];
    while (this.accept(';'));
    while (!isEnd()) {
      const node = this.statement();
      if (node !== undefined) nodes.push(node);
      if (this.is(';') || isEnd() || node === undefined || CLOSED_KINDS.has(node.kind)) {
        while (this.accept(';'));
        continue;
      }
      this.fail(`Expecting ';' to end the statement, but ${this.describe()}`);
    }
    return nodes;
  }

  /** Parses a statement. Undefined for the definition of a function. */
  protected statement(): Node | undefined {
    const token = this.token;
    const word = token.kind === 'keyword' ? token.text : '';
    switch (word) {
      case 'let':
      case 'const':
        return this.declaration(word === 'const');
      case 'private':
      case 'fn':
        this.function();
        return undefined;
    }
    return this.simpleStatement();
  }

  /** Parses a statement that may also be the body of a closure or of a case. */
  protected simpleStatement(): Node {
    const { at } = this.token;
    if (this.accept('return')) {
      const value = this.optionalExpression();
      return this.make({ kind: 'return', value }, at, value === undefined ? [] : [value]);
    }
    if (this.accept('throw')) {
      const value = this.optionalExpression();
      return this.make(
        { kind: 'throw', value, rethrows: this.scope.caught.at(-1) },
        at,
        value === undefined ? [] : [value],
      );
    }
    if (this.accept('break')) {
      if (this.scope.loopDepth === 0) this.fail(`'break' must be within a loop`, at);
      const value = this.optionalExpression();
      return this.make({ kind: 'break', value }, at, value === undefined ? [] : [value]);
    }
    if (this.accept('continue')) {
      if (this.scope.loopDepth === 0) this.fail(`'continue' must be within a loop`, at);
      return this.make({ kind: 'continue' }, at);
    }
    if (this.accept('try')) return this.try(at);
    const closed = this.controlFlow();
    if (closed !== undefined) return closed;
    return this.assignment(this.expression());
  }

  protected optionalExpression(): Node | undefined {
    const isEnd = [';', '}', ',', ')', ']'].some((text) => this.is(text)) || this.token.kind === 'end';
    return isEnd ? undefined : this.expression();
  }

  protected declaration(isConstant: boolean): Node {
    const { at } = this.advance();
    const name = this.variableName('the name of a variable');
    const initial = this.accept('=') ? this.expression() : undefined;
    const variable = this.scope.declare(name, isConstant);
    return this.make({ kind: 'let', variable, initial }, at, initial === undefined ? [] : [initial]);
  }

  protected assignment(target: Node): Node {
    const { at } = this.token;
    if (this.token.kind !== 'symbol') return target;
    const { text } = this.token;
    const operator = text === '=' ? undefined : text.slice(0, -1);
    if (text !== '=' && (!text.endsWith('=') || !COMPOUND.has(operator ?? ''))) return target;
    this.checkTarget(target);
    this.advance();
    const value = this.expression();
    // SAFETY: every compound operator consists of a binary operator and '='.
    return this.make({ kind: 'assign', target, operator: operator as BinaryOperator | undefined, value }, at, [
      target,
      value,
    ]);
  }

  protected checkTarget(target: Node): void {
    this.refuse(assignmentProblem(target));
    if (target.kind === 'variable' && target.variable.isConstant) {
      throw new RhaiError('AssignmentToConstant', `Cannot modify constant ${target.variable.name}`, target.at);
    }
  }

  protected try(at: Position): Node {
    // In the tried block, a throw without a value must not throw the error of an outer catch clause again.
    this.scope.caught.push(undefined);
    const body = this.block("after 'try'");
    this.scope.caught.pop();
    this.expect('catch', "after the block of 'try'");
    this.scope.enter();
    const name = this.accept('(') ? this.variableName('the name of a variable') : '';
    const variable = this.scope.declare(name);
    if (name !== '') this.expect(')', 'after the name');
    this.scope.caught.push(variable);
    const handler = this.block("after 'catch'");
    this.scope.caught.pop();
    this.scope.leave();
    return this.make({ kind: 'try', body, variable, handler }, at, [body, handler]);
  }

  /**
   * Parses the name of a function. In a method of one type, the type's name and a point come before the method's name.
   */
  protected functionName(): string {
    const { token } = this;
    if (token.kind === 'string') this.advance();
    const first = token.kind === 'string' ? token.value : this.name('the name of a function');
    if (token.kind === 'string') this.expect('.', "after the type of 'this'");
    else if (!this.accept('.')) return first;
    return methodName(
      Object.hasOwn(TYPE_ALIASES, first) ? TYPE_ALIASES[first]! : first,
      this.name('the name of a method'),
    );
  }

  protected function(): void {
    const { at } = this.token;
    if (!this.scope.isTopLevel) this.fail('Functions can only be defined at the top level');
    this.accept('private');
    this.expect('fn', "after 'private'");
    const name = this.functionName();
    this.expect('(', 'after the name of the function');
    const node = this.functionRest(
      name,
      at,
      new FunctionScope(undefined, false),
      ')',
      () => this.block('after the params'),
    );
    const key = functionKey(name, node.params.length);
    if (this.#functions.has(key)) {
      this.fail(`The function '${name}' is already defined for this number of parameters (${node.params.length})`, at);
    }
    this.#functions.set(key, node);
  }
}

/** Parses a script. Throws a RhaiError with the fault and its position. */
export function parseScript(source: string, limits: RhaiLimits): Program {
  if (source.length > limits.sourceLength) {
    throw new RhaiError('Syntax', `The script has more than ${limits.sourceLength} characters`, { line: 1, column: 1 });
  }
  return new Parser(source, limits).program();
}
