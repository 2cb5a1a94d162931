import type { Node, SwitchCase } from './ast.ts';
import type { Position } from '../errors.ts';
import { literalValue } from './literals.ts';
import { conditionProblem, iterationProblem } from './parser_checks.ts';
import { ExpressionParser } from './parser_expressions.ts';
import { Float, isInt, Range, type RhaiValue } from '../values.ts';

/**
 * A precedence above that of `|`. This sign separates the patterns of a case and encloses the parameters of a closure.
 */
const ABOVE_BAR = 31;

/** Statements that need no semicolon after them. */
export const CLOSED_KINDS: ReadonlySet<Node['kind']> = new Set(['block', 'if', 'switch', 'while', 'do', 'for', 'try']);

/** Parses blocks, conditions, loops and switches. */
export abstract class ControlParser extends ExpressionParser {
  /** Parses a block with variables of its own. `prepare` declares the first variables. */
  protected block(purpose: string): Node {
    const { at } = this.token;
    this.expect('{', purpose);
    return this.blockRest(at);
  }

  /** Parses the rest of a block, after its opening brace. */
  protected blockRest(at: Position): Node {
    return this.nested(() => {
      this.scope.enter();
      const body = this.statements(() => this.is('}') || this.token.kind === 'end');
      this.scope.leave();
      this.expect('}', 'to end the block');
      return this.make({ kind: 'block', body }, at, body);
    });
  }

  /** Parses an expression that ends with a block; undefined if no such expression starts here. */
  protected controlFlow(): Node | undefined {
    const { at } = this.token;
    if (this.accept('{')) return this.blockRest(at);
    if (this.accept('if')) return this.nested(() => this.if(at));
    if (this.accept('switch')) return this.nested(() => this.switch(at));
    if (this.accept('while')) {
      const test = this.condition();
      const body = this.loopBody("after the condition of 'while'");
      return this.make({ kind: 'while', test, body }, at, [test, body]);
    }
    if (this.accept('loop')) {
      const body = this.loopBody("after 'loop'");
      return this.make({ kind: 'while', test: undefined, body }, at, [body]);
    }
    if (this.accept('do')) {
      const body = this.loopBody("after 'do'");
      const isUntil = this.accept('until');
      if (!isUntil) this.expect('while', "or 'until' after the block of 'do'");
      const test = this.condition();
      return this.make({ kind: 'do', body, test, isUntil }, at, [body, test]);
    }
    return this.accept('for') ? this.for(at) : undefined;
  }

  protected loopBody(purpose: string): Node {
    this.scope.loopDepth++;
    const body = this.block(purpose);
    this.scope.loopDepth--;
    return body;
  }

  protected condition(): Node {
    if (this.is('{')) this.fail('Expecting a boolean expression, but found a block');
    const node = this.expression();
    this.refuse(conditionProblem(node));
    return node;
  }

  protected if(at: Position): Node {
    const branches: { test: Node; body: Node }[] = [];
    let otherwise: Node | undefined;
    do {
      const test = this.condition();
      branches.push({ test, body: this.block("after the condition of 'if'") });
      if (!this.accept('else')) break;
      if (!this.is('if')) otherwise = this.block("after 'else'");
    } while (otherwise === undefined && this.accept('if'));
    const children = branches.flatMap(({ test, body }) => [test, body]);
    return this.make({ kind: 'if', branches, otherwise }, at, otherwise ? [...children, otherwise] : children);
  }

  protected for(at: Position): Node {
    let counterName: string | undefined;
    let name: string;
    if (this.accept('(')) {
      name = this.variableName('the name of a variable');
      this.expect(',', 'after the first name');
      counterName = this.variableName('the name of a variable');
      if (counterName === name) this.fail(`The variable '${name}' is already defined`, at);
      this.expect(')', 'after the second name');
    } else {
      name = this.variableName('the name of a variable');
    }
    this.expect('in', "after the variable of 'for'");
    if (this.is('{')) this.fail('Expecting an iterable value, but found a block');
    const source = this.expression();
    this.refuse(iterationProblem(source));
    this.scope.enter();
    const variable = this.scope.declare(name);
    const counter = counterName === undefined ? undefined : this.scope.declare(counterName);
    const body = this.loopBody("after what 'for' goes through");
    this.scope.leave();
    return this.make({ kind: 'for', variable, counter, source, body }, at, [source, body]);
  }

  protected switch(at: Position): Node {
    const subject = this.expression();
    this.expect('{', "after the value of 'switch'");
    const cases: SwitchCase[] = [];
    let hasRange = false;
    while (!this.is('}')) {
      const start = this.token.at;
      if (cases.at(-1)?.patterns.length === 0) this.fail(`The default case must be the last`);
      const patterns = this.accept('_') ? [] : this.patterns();
      const isNumeric = patterns.some((pattern) => isInt(pattern) || pattern instanceof Float);
      if (hasRange && isNumeric) this.fail('Cases of numbers must come before those of ranges', start);
      hasRange ||= patterns.some((pattern) => pattern instanceof Range);
      if (patterns.length === 0 && this.is('if')) this.fail('The default case takes no condition');
      const guard = this.accept('if') ? this.condition() : undefined;
      this.expect('=>', "after the case of 'switch'");
      const body = this.simpleStatement();
      cases.push({ patterns, guard, body });
      if (!this.accept(',') && !this.is('}') && !CLOSED_KINDS.has(body.kind)) {
        this.fail(`Expecting ',' after the case of 'switch', but ${this.describe()}`);
      }
    }
    this.advance();
    const children = cases.flatMap(({ guard, body }) => guard === undefined ? [body] : [guard, body]);
    return this.make({ kind: 'switch', subject, cases }, at, [subject, ...children]);
  }

  protected patterns(): RhaiValue[] {
    const patterns: RhaiValue[] = [];
    do {
      const node = this.expression(ABOVE_BAR);
      const value = literalValue(node);
      if (value === undefined) this.fail("The cases of 'switch' must be literals", node.at);
      patterns.push(value);
    } while (this.accept('|'));
    return patterns;
  }
}
