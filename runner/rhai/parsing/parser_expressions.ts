import type { BinaryOperator, Node } from './ast.ts';
import type { Position } from '../errors.ts';
import { INT_MAX } from '../integers.ts';
import { signed } from './literals.ts';
import { conditionProblem, indexProblem } from './parser_checks.ts';
import { OperandParser } from './parser_operands.ts';

/**
 * Rhai's precedence of operators: a greater number binds more tightly. All operators except `**` are left-associative.
 */
const PRECEDENCE: ReadonlyMap<string, number> = new Map(Object.entries({
  '||': 30,
  '|': 30,
  '^': 30,
  '&&': 60,
  '&': 60,
  '==': 90,
  '!=': 90,
  'in': 110,
  '!in': 110,
  '>': 130,
  '>=': 130,
  '<': 130,
  '<=': 130,
  '??': 135,
  '..': 140,
  '..=': 140,
  '+': 150,
  '-': 150,
  '*': 180,
  '/': 180,
  '%': 180,
  '**': 190,
  '<<': 210,
  '>>': 210,
}));

/** Tokens that may follow a range without an end. */
const AFTER_RANGE: ReadonlySet<string> = new Set([']', ')', '}', '{', ',', ';', '=>']);

/** Statements that may stand on the right of `??`. */
const ESCAPES: ReadonlySet<string> = new Set(['break', 'continue', 'return', 'throw']);

const mayEnd = (node: Node): boolean =>
  (node.kind === 'index' || node.kind === 'property' || node.kind === 'method') && node.mayEnd;

/** Parses expressions. Subclasses parse blocks and statements. */
export abstract class ExpressionParser extends OperandParser {
  protected expression(minimum = 0): Node {
    return this.nested(() => {
      const isOpen = this.is('..') || this.is('..=');
      let left: Node = isOpen ? this.make({ kind: 'literal', value: 0 }, this.token.at) : this.unary();
      for (;;) {
        const token = this.token;
        if (token.kind !== 'symbol' && token.kind !== 'keyword') return left;
        const precedence = PRECEDENCE.get(token.text);
        if (precedence === undefined || precedence < minimum) return left;
        this.advance();
        const right = this.rightOperand(token.text, precedence);
        left = this.operation(token.text, left, right, token.at);
      }
    });
  }

  protected rightOperand(operator: string, precedence: number): Node {
    const { token } = this;
    const isRange = operator === '..' || operator === '..=';
    if (isRange && (token.kind === 'end' || (token.kind === 'symbol' && AFTER_RANGE.has(token.text)))) {
      return this.make({ kind: 'literal', value: INT_MAX }, token.at);
    }
    if (operator === '??' && token.kind === 'keyword' && ESCAPES.has(token.text)) return this.simpleStatement();
    return this.expression(operator === '**' ? precedence : precedence + 1);
  }

  protected operation(operator: string, left: Node, right: Node, at: Position): Node {
    if (operator === '&&' || operator === '||' || operator === '??') {
      if (operator !== '??') { for (const operand of [left, right]) this.refuse(conditionProblem(operand)); }
      return this.make({ kind: 'logic', operator, left, right }, at, [left, right]);
    }
    // SAFETY: every operator that has a precedence and is not a logic operator is one of these.
    return this.make({ kind: 'binary', operator: operator as BinaryOperator, left, right }, at, [left, right]);
  }

  protected unary(): Node {
    const { at } = this.token;
    const operator = (['-', '+', '!'] as const).find((symbol) => this.is(symbol));
    if (operator === undefined) return this.postfix(this.primary());
    if (operator === '-' && this.lexer.isBeforeDigit) {
      // The sign belongs to the number, so it binds more tightly than the operators after the number.
      const { value } = this.lexer.number(at, '-');
      this.advance();
      return this.postfix(this.make({ kind: 'literal', value }, at));
    }
    this.advance();
    const operand = this.nested(() => this.unary());
    const literal = operand.kind === 'literal' && operator !== '!' ? signed(operator, operand.value) : undefined;
    return literal === undefined
      ? this.make({ kind: 'unary', operator, operand }, at, [operand])
      : this.make({ kind: 'literal', value: literal }, at);
  }

  protected postfix(start: Node): Node {
    let node = start;
    for (;;) {
      const { at } = this.token;
      if (this.is('[') || this.is('?[')) {
        const isOptional = this.is('?[');
        this.advance();
        const base = node;
        const index = this.expression();
        this.refuse(indexProblem(base, index));
        this.expect(']', 'after the index');
        node = this.make({ kind: 'index', base, index, isOptional, mayEnd: isOptional || mayEnd(base) }, at, [
          base,
          index,
        ]);
      } else if (this.is('.') || this.is('?.')) {
        const isOptional = this.is('?.');
        this.advance();
        node = this.member(node, isOptional);
      } else {
        return mayEnd(node) ? this.make({ kind: 'chain', body: node }, node.at, [node]) : node;
      }
    }
  }

  protected member(base: Node, isOptional: boolean): Node {
    const { at } = this.token;
    const name = this.name('the name of a property or method');
    const link = { base, name, isOptional, mayEnd: isOptional || mayEnd(base) };
    if (this.is('!')) this.fail(`A method can't be called with the variables of its caller: leave out the '!'`);
    if (!this.accept('(')) return this.make({ kind: 'property', ...link }, at, [base]);
    const args = this.list(')');
    return this.make({ kind: 'method', args, ...link }, at, [base, ...args]);
  }
}
