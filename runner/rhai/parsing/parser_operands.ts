import type { FunctionNode, MapEntry, Node, Variable } from './ast.ts';
import { CLOSURE_PREFIX, type Position } from '../errors.ts';
import { TokenParser } from './parser_tokens.ts';
import { FunctionScope } from './scopes.ts';

/** The modules that a script can use without an import, with their functions. */
const MODULES: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['rand', new Set(['rand', 'rand_float', 'rand_bool', 'rand_decimal', 'shuffle', 'sample'])],
]);

/** Parses operands: literals, names, calls and closures. */
export abstract class OperandParser extends TokenParser {
  #closureCount = 0;
  /** True if a call may lend a function the variables that the caller of the script gives. */
  protected lendsGiven = false;
  /** Names that functions use without defining them. A call may lend variables of these names to the function. */
  protected readonly unknownNames = new Set<string>();

  protected abstract expression(minimum?: number): Node;
  /** Parses statements up to an end, without consuming the end's token. */
  protected abstract statements(isEnd: () => boolean): Node[];
  /** Parses a statement that is not the definition of a function, such as the body of a closure. */
  protected abstract simpleStatement(): Node;
  /** Parses an expression that ends with a block; undefined if no such expression starts here. */
  protected abstract controlFlow(): Node | undefined;

  protected list(close: ')' | ']'): Node[] {
    const nodes: Node[] = [];
    while (!this.accept(close)) {
      nodes.push(this.expression());
      if (!this.is(close)) this.expect(',', 'after an element of the list');
    }
    return nodes;
  }

  protected primary(): Node {
    const token = this.token;
    switch (token.kind) {
      case 'number':
      case 'string':
      case 'char':
        this.advance();
        return this.make({ kind: 'literal', value: token.value }, token.at);
      case 'template':
        return this.template();
      case 'name':
        return this.nameExpression(token.text, token.at);
      case 'symbol':
        return this.symbolExpression(token.text, token.at);
      case 'keyword':
        return this.keywordExpression(token.text, token.at);
      case 'end':
        return this.fail('Expecting an expression, but the script ends here');
    }
  }

  protected symbolExpression(symbol: string, at: Position): Node {
    switch (symbol) {
      case '(': {
        this.advance();
        const { line, column } = this.token.at;
        const isUnit = line === at.line && column === at.column + 1;
        if (isUnit && this.accept(')')) return this.make({ kind: 'literal', value: null }, at);
        const node = this.expression();
        this.expect(')', 'to close the parentheses');
        return node;
      }
      case '[': {
        this.advance();
        const items = this.list(']');
        const { elements } = this.limits;
        if (items.length > elements) this.fail(`The array has more than ${elements} elements`, at);
        return this.make({ kind: 'array', items }, at, items);
      }
      case '#{':
        return this.map(at);
      case '|':
      case '||':
        return this.closure(at);
    }
    return this.controlFlow() ?? this.fail(`Expecting an expression, but ${this.describe()}`);
  }

  protected keywordExpression(keyword: string, at: Position): Node {
    if (keyword === 'true' || keyword === 'false') {
      this.advance();
      return this.make({ kind: 'literal', value: keyword === 'true' }, at);
    }
    if (this.is('this')) {
      if (this.scope.isTop) this.fail(`'this' can only be used in functions and closures`);
      this.advance();
      return this.make({ kind: 'this' }, at);
    }
    return this.controlFlow() ?? this.fail(`Expecting an expression, but ${this.describe()}`);
  }

  protected nameExpression(name: string, at: Position): Node {
    this.advance();
    const isLending = this.accept('!');
    if (isLending && !this.is('(')) this.fail(`Expecting '(' after '!', but ${this.describe()}`);
    if (this.accept('(')) {
      const args = this.list(')');
      if (isLending && this.scope.isTop) this.lendsGiven = true;
      const names = isLending || name === 'is_def_var' ? this.scope.visibleNames() : undefined;
      return this.make({ kind: 'call', name, args, names, isLending }, at, args);
    }
    if (this.is('::')) {
      const functions = MODULES.get(name);
      if (functions !== undefined) return this.moduleCall(name, functions, at);
      if (name !== 'global') this.fail(`'${name}::' is not available: scripts can't use modules`, at);
      this.advance();
      return this.make({ kind: 'global', name: this.name('the name of a constant') }, at);
    }
    const variable = this.scope.find(name);
    if (variable !== undefined) return this.make({ kind: 'variable', variable }, at);
    this.unknownNames.add(name);
    return this.make({ kind: 'unknown', name }, at);
  }

  /** Parses the call of a module's function. The function can also be called without the module's name. */
  private moduleCall(module: string, functions: ReadonlySet<string>, at: Position): Node {
    this.advance();
    const start = this.token.at;
    const name = this.name('the name of a function');
    if (!functions.has(name)) this.fail(`The module '${module}' has no function '${name}'`, start);
    this.expect('(', 'after the name of a function');
    const args = this.list(')');
    return this.make({ kind: 'call', name, args, names: undefined, isLending: false }, at, args);
  }

  protected map(at: Position): Node {
    this.advance();
    const entries: MapEntry[] = [];
    const keys = new Set<string>();
    while (!this.accept('}')) {
      const start = this.token.at;
      const key = this.mapKey();
      if (keys.has(key)) this.fail(`The property ${JSON.stringify(key)} is already defined`, start);
      keys.add(key);
      this.expect(':', 'after the name of a property');
      entries.push({ key, value: this.expression() });
      if (!this.is('}')) this.expect(',', 'after a property');
    }
    const { elements } = this.limits;
    if (entries.length > elements) this.fail(`The object map has more than ${elements} properties`, at);
    return this.make({ kind: 'map', entries }, at, entries.map(({ value }) => value));
  }

  protected mapKey(): string {
    const token = this.token;
    if (token.kind === 'string' || (token.kind === 'template' && token.isLast)) {
      this.advance();
      return token.value;
    }
    return this.name('the name of a property');
  }

  protected template(): Node {
    const { at } = this.token;
    const parts: (string | Node)[] = [];
    for (;;) {
      const piece = this.token;
      if (piece.kind !== 'template') this.fail(`Expecting '}' to end the expression in the string`);
      if (piece.value !== '') parts.push(piece.value);
      if (piece.isLast) break;
      this.advance();
      parts.push(this.templateBlock(piece.at));
    }
    this.advance();
    return this.make({ kind: 'template', parts }, at, parts.filter((part) => typeof part !== 'string'));
  }

  /** Parses statements up to the brace that ends them. The text after the brace is the next piece of the string. */
  protected templateBlock(at: Position): Node {
    return this.nested(() => {
      this.scope.enter();
      const body = this.statements(() => this.is('}') || this.token.kind === 'end');
      this.scope.leave();
      if (!this.is('}')) this.fail(`Expecting '}' to end the expression in the string, but ${this.describe()}`);
      this.token = this.lexer.templatePiece(at);
      return this.make({ kind: 'block', body }, at, body);
    });
  }

  /**
   * Parses a list of parameters up to `close`, and then the function's body. The opening token has already been read.
   * `close` is undefined if there is no list.
   */
  protected functionRest(
    name: string,
    at: Position,
    scope: FunctionScope,
    close: ')' | '|' | undefined,
    parseBody: () => Node,
  ): FunctionNode {
    const outer = this.scope;
    this.scope = scope;
    const params: Variable[] = [];
    const names = new Set<string>();
    while (close !== undefined && !this.accept(close)) {
      const position = this.token.at;
      const param = this.variableName('the name of a param');
      if (names.has(param)) this.fail(`The parameter '${param}' is already defined`, position);
      names.add(param);
      params.push(scope.declare(param));
      if (!this.is(close)) this.expect(',', 'after a param');
    }
    const body = parseBody();
    this.scope = outer;
    return { name, params, captures: scope.captures, body, slotCount: scope.slotCount, depth: body.depth, at };
  }

  protected closure(at: Position): Node {
    const isEmpty = this.is('||');
    this.advance();
    const scope = new FunctionScope(this.scope, false);
    const body = () => this.nested(() => this.simpleStatement());
    const name = `${CLOSURE_PREFIX}${++this.#closureCount}`;
    const closure = this.functionRest(name, at, scope, isEmpty ? undefined : '|', body);
    return this.make({ kind: 'closure', closure }, at);
  }
}
