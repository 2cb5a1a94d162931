import {
  type BinaryOperator,
  functionKey,
  type FunctionNode,
  type MapEntry,
  type Node,
  type Program,
  type SwitchCase,
  type Variable,
  type VisibleNames,
} from './ast.ts';
import { type Position, RhaiError } from './errors.ts';
import { Lexer, type Token } from './lexer.ts';
import type { RhaiLimits } from './limits.ts';
import { literalValue, signed } from './literals.ts';
import { FunctionScope } from './scopes.ts';
import { isInt, Range, type RhaiValue } from './values.ts';

/** Rhai's table: a greater number binds more tightly. All but the power bind to the left. */
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
/** Above the `|` that divides the patterns of a case, and the params of a closure. */
const ABOVE_BAR = 31;

/** Operators that may follow each other without end; this bounds how deep a chain of them makes the tree. */
const MAX_TREE_DEPTH = 500;

const NO_NAMES: VisibleNames = { own: new Set(), seesGiven: false };

/** Statements after which there need be no semicolon. */
const CLOSED_KINDS: ReadonlySet<Node['kind']> = new Set(['block', 'if', 'switch', 'while', 'do', 'for', 'try']);

/** Spreads over the unions that Omit would merge. */
type ShapeOf<N> = N extends Node ? Omit<N, 'at' | 'depth'> : never;

class Parser {
  readonly #lexer: Lexer;
  readonly #limits: RhaiLimits;
  readonly #functions = new Map<string, FunctionNode>();
  #token: Token;
  #scope = new FunctionScope(undefined, true);
  #nesting = 0;
  #closureCount = 0;

  constructor(source: string, limits: RhaiLimits) {
    this.#lexer = new Lexer(source);
    this.#limits = limits;
    this.#token = this.#lexer.next();
  }

  program(): Program {
    const { at } = this.#token;
    const declared: Variable[] = [];
    const body = this.#statements(() => this.#token.kind === 'end');
    for (const node of body) if (node.kind === 'let') declared.push(node.variable);
    const block = this.#make({ kind: 'block', body }, at, body);
    const main: FunctionNode = {
      name: '',
      params: [],
      captures: [],
      body: block,
      slotCount: this.#scope.slotCount,
      depth: block.depth,
      at,
    };
    return { main, given: this.#scope.given, declared, functions: this.#functions };
  }

  // Tokens

  #fail(message: string, at: Position = this.#token.at): never {
    throw new RhaiError('Syntax', message, at);
  }

  #describe(): string {
    const token = this.#token;
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

  #advance(): Token {
    const token = this.#token;
    this.#token = this.#lexer.next();
    return token;
  }

  #is(text: string): boolean {
    return (this.#token.kind === 'symbol' || this.#token.kind === 'keyword') && this.#token.text === text;
  }

  #accept(text: string): boolean {
    if (!this.#is(text)) return false;
    this.#advance();
    return true;
  }

  #expect(text: string, purpose: string): void {
    if (!this.#accept(text)) this.#fail(`Expecting '${text}' ${purpose}, but ${this.#describe()}`);
  }

  #name(purpose: string): string {
    if (this.#token.kind !== 'name') this.#fail(`Expecting ${purpose}, but ${this.#describe()}`);
    const { text } = this.#token;
    this.#advance();
    return text;
  }

  #make<const S extends ShapeOf<Node>>(
    shape: S,
    at: Position,
    children: readonly Node[] = [],
  ): S & Pick<Node, 'at' | 'depth'> {
    const depth = 1 + children.reduce((deepest, child) => Math.max(deepest, child.depth), 0);
    if (depth > MAX_TREE_DEPTH) {
      this.#fail(`Expression too long: more than ${MAX_TREE_DEPTH} operations within each other`, at);
    }
    return { ...shape, at, depth };
  }

  #nested<T>(parse: () => T): T {
    if (++this.#nesting > this.#limits.sourceDepth) {
      this.#fail(`Expression too deep: more than ${this.#limits.sourceDepth} levels`);
    }
    const result = parse();
    this.#nesting--;
    return result;
  }

  // Statements

  #statements(isEnd: () => boolean): Node[] {
    const nodes: Node[] = [];
    while (this.#accept(';'));
    while (!isEnd()) {
      const node = this.#statement();
      if (node !== undefined) nodes.push(node);
      if (this.#is(';') || isEnd() || node === undefined || CLOSED_KINDS.has(node.kind)) {
        while (this.#accept(';'));
        continue;
      }
      this.#fail(`Expecting ';' to end the statement, but ${this.#describe()}`);
    }
    return nodes;
  }

  /** A block with variables of its own; `prepare` declares those that it starts with. */
  #block(purpose: string): Node {
    const { at } = this.#token;
    this.#expect('{', purpose);
    return this.#blockRest(at);
  }

  /** What follows an opening brace. */
  #blockRest(at: Position): Node {
    return this.#nested(() => {
      this.#scope.enter();
      const body = this.#statements(() => this.#is('}') || this.#token.kind === 'end');
      this.#scope.leave();
      this.#expect('}', 'to end the block');
      return this.#make({ kind: 'block', body }, at, body);
    });
  }

  /** Undefined for the definition of a function. */
  #statement(): Node | undefined {
    const token = this.#token;
    const word = token.kind === 'keyword' ? token.text : '';
    switch (word) {
      case 'let':
      case 'const':
        return this.#declaration(word === 'const');
      case 'private':
      case 'fn':
        this.#function();
        return undefined;
    }
    return this.#simpleStatement();
  }

  /** A statement that may also be the body of a closure or of a case. */
  #simpleStatement(): Node {
    const { at } = this.#token;
    if (this.#accept('return')) {
      const value = this.#optionalExpression();
      return this.#make({ kind: 'return', value }, at, value === undefined ? [] : [value]);
    }
    if (this.#accept('throw')) {
      const value = this.#optionalExpression();
      const rethrows = value === undefined ? this.#scope.caught.at(-1) : undefined;
      return this.#make({ kind: 'throw', value, rethrows }, at, value === undefined ? [] : [value]);
    }
    if (this.#accept('break')) {
      if (this.#scope.loopDepth === 0) this.#fail(`'break' must be within a loop`, at);
      const value = this.#optionalExpression();
      return this.#make({ kind: 'break', value }, at, value === undefined ? [] : [value]);
    }
    if (this.#accept('continue')) {
      if (this.#scope.loopDepth === 0) this.#fail(`'continue' must be within a loop`, at);
      return this.#make({ kind: 'continue' }, at);
    }
    if (this.#accept('try')) return this.#try(at);
    const closed = this.#controlFlow();
    if (closed !== undefined) return closed;
    return this.#assignment(this.#expression());
  }

  #optionalExpression(): Node | undefined {
    return this.#is(';') || this.#is('}') || this.#is(',') || this.#token.kind === 'end'
      ? undefined
      : this.#expression();
  }

  #declaration(isConstant: boolean): Node {
    const { at } = this.#advance();
    const name = this.#name('the name of a variable');
    const initial = this.#accept('=') ? this.#expression() : undefined;
    const variable = this.#scope.declare(name, isConstant);
    return this.#make({ kind: 'let', variable, initial }, at, initial === undefined ? [] : [initial]);
  }

  #assignment(target: Node): Node {
    const { at } = this.#token;
    if (this.#token.kind !== 'symbol') return target;
    const { text } = this.#token;
    const operator = text === '=' ? undefined : text.slice(0, -1);
    if (text !== '=' && (!text.endsWith('=') || !COMPOUND.has(operator ?? ''))) return target;
    this.#checkTarget(target);
    this.#advance();
    const value = this.#expression();
    // SAFETY: every compound operator is a binary one.
    return this.#make({ kind: 'assign', target, operator: operator as BinaryOperator | undefined, value }, at, [
      target,
      value,
    ]);
  }

  #checkTarget(target: Node): void {
    let root = target;
    while (root.kind === 'index' || root.kind === 'property') {
      if (root.isOptional) this.#fail(`'?' is not for assignments`, root.at);
      root = root.base;
    }
    const isPlace = root.kind === 'variable' || root.kind === 'unknown' || root.kind === 'this';
    if (!isPlace && (root === target || root.kind === 'literal')) {
      this.#fail('Cannot assign to this expression', target.at);
    }
    const constant = root.kind === 'variable' && root.variable.isConstant ? root.variable.name : undefined;
    if (constant !== undefined) {
      throw new RhaiError('AssignmentToConstant', `Cannot modify constant ${constant}`, root.at);
    }
  }

  #try(at: Position): Node {
    const body = this.#block("after 'try'");
    this.#expect('catch', "after the block of 'try'");
    this.#scope.enter();
    const name = this.#accept('(') ? this.#name('the name of a variable') : '';
    const variable = this.#scope.declare(name);
    if (name !== '') this.#expect(')', 'after the name');
    this.#scope.caught.push(variable);
    const handler = this.#block("after 'catch'");
    this.#scope.caught.pop();
    this.#scope.leave();
    return this.#make({ kind: 'try', body, variable, handler }, at, [body, handler]);
  }

  /** What ends with a block, and has a value; undefined when none of it starts here. */
  #controlFlow(): Node | undefined {
    const { at } = this.#token;
    if (this.#accept('{')) return this.#blockRest(at);
    if (this.#accept('if')) return this.#nested(() => this.#if(at));
    if (this.#accept('switch')) return this.#nested(() => this.#switch(at));
    if (this.#accept('while')) {
      const test = this.#expression();
      const body = this.#loopBody("after the condition of 'while'");
      return this.#make({ kind: 'while', test, body }, at, [test, body]);
    }
    if (this.#accept('loop')) {
      const body = this.#loopBody("after 'loop'");
      return this.#make({ kind: 'while', test: undefined, body }, at, [body]);
    }
    if (this.#accept('do')) {
      const body = this.#loopBody("after 'do'");
      const isUntil = this.#accept('until');
      if (!isUntil) this.#expect('while', "or 'until' after the block of 'do'");
      const test = this.#expression();
      return this.#make({ kind: 'do', body, test, isUntil }, at, [body, test]);
    }
    return this.#accept('for') ? this.#for(at) : undefined;
  }

  #loopBody(purpose: string): Node {
    this.#scope.loopDepth++;
    const body = this.#block(purpose);
    this.#scope.loopDepth--;
    return body;
  }

  #if(at: Position): Node {
    const branches: { test: Node; body: Node }[] = [];
    let otherwise: Node | undefined;
    do {
      const test = this.#expression();
      branches.push({ test, body: this.#block("after the condition of 'if'") });
      if (!this.#accept('else')) break;
      if (!this.#is('if')) otherwise = this.#block("after 'else'");
    } while (otherwise === undefined && this.#accept('if'));
    const children = branches.flatMap(({ test, body }) => [test, body]);
    return this.#make({ kind: 'if', branches, otherwise }, at, otherwise ? [...children, otherwise] : children);
  }

  #for(at: Position): Node {
    let counterName: string | undefined;
    let name: string;
    if (this.#accept('(')) {
      name = this.#name('the name of a variable');
      this.#expect(',', 'after the first name');
      counterName = this.#name('the name of a variable');
      if (counterName === name) this.#fail(`There is another variable '${name}' already`, at);
      this.#expect(')', 'after the second name');
    } else {
      name = this.#name('the name of a variable');
    }
    this.#expect('in', "after the variable of 'for'");
    const source = this.#expression();
    this.#scope.enter();
    const variable = this.#scope.declare(name);
    const counter = counterName === undefined ? undefined : this.#scope.declare(counterName);
    const body = this.#loopBody("after what 'for' goes through");
    this.#scope.leave();
    return this.#make({ kind: 'for', variable, counter, source, body }, at, [source, body]);
  }

  #switch(at: Position): Node {
    const subject = this.#expression();
    this.#expect('{', "after the value of 'switch'");
    const cases: SwitchCase[] = [];
    let hasRange = false;
    while (!this.#is('}')) {
      const start = this.#token.at;
      if (cases.at(-1)?.patterns.length === 0) this.#fail(`The default case must be the last`);
      const patterns = this.#accept('_') ? [] : this.#patterns();
      if (hasRange && patterns.some(isInt)) this.#fail('Cases of integers must come before those of ranges', start);
      hasRange ||= patterns.some((pattern) => pattern instanceof Range);
      if (patterns.length === 0 && this.#is('if')) this.#fail('The default case takes no condition');
      const guard = this.#accept('if') ? this.#expression() : undefined;
      this.#expect('=>', "after the case of 'switch'");
      const body = this.#simpleStatement();
      cases.push({ patterns, guard, body });
      if (!this.#accept(',') && !this.#is('}') && !CLOSED_KINDS.has(body.kind)) {
        this.#fail(`Expecting ',' after the case of 'switch', but ${this.#describe()}`);
      }
    }
    this.#advance();
    const children = cases.flatMap(({ guard, body }) => guard === undefined ? [body] : [guard, body]);
    return this.#make({ kind: 'switch', subject, cases }, at, [subject, ...children]);
  }

  #patterns(): RhaiValue[] {
    const patterns: RhaiValue[] = [];
    do {
      const node = this.#expression(ABOVE_BAR);
      const value = literalValue(node);
      if (value === undefined) this.#fail("The cases of 'switch' must be literals", node.at);
      patterns.push(value);
    } while (this.#accept('|'));
    return patterns;
  }

  // Functions

  #function(): void {
    const { at } = this.#token;
    if (!this.#scope.isTopLevel) this.#fail('Functions can only be defined at the top level');
    this.#accept('private');
    this.#expect('fn', "after 'private'");
    const name = this.#name('the name of a function');
    this.#expect('(', 'after the name of the function');
    const node = this.#functionRest(
      name,
      at,
      new FunctionScope(undefined, false),
      ')',
      () => this.#block('after the params'),
    );
    const key = functionKey(name, node.params.length);
    if (this.#functions.has(key)) {
      this.#fail(`There is another function '${name}' with ${node.params.length} params already`, at);
    }
    this.#functions.set(key, node);
  }

  /** What follows the opening of a function's list of params. */
  #functionRest(
    name: string,
    at: Position,
    scope: FunctionScope,
    close: ')' | '|',
    parseBody: () => Node,
  ): FunctionNode {
    const outer = this.#scope;
    this.#scope = scope;
    const params: Variable[] = [];
    while (!this.#accept(close)) {
      const position = this.#token.at;
      const param = this.#name('the name of a param');
      if (params.some((other) => other.name === param)) {
        this.#fail(`There is another param '${param}' already`, position);
      }
      params.push(scope.declare(param));
      if (!this.#is(close)) this.#expect(',', 'after a param');
    }
    const body = parseBody();
    this.#scope = outer;
    return { name, params, captures: scope.captures, body, slotCount: scope.slotCount, depth: body.depth, at };
  }

  #closure(at: Position): Node {
    const isEmpty = this.#is('||');
    this.#advance();
    const scope = new FunctionScope(this.#scope, false);
    const body = () => this.#nested(() => this.#simpleStatement());
    const name = `anon$${++this.#closureCount}`;
    const closure = isEmpty
      ? this.#closureWithoutParams(name, at, scope, body)
      : this.#functionRest(name, at, scope, '|', body);
    return this.#make({ kind: 'closure', closure }, at);
  }

  #closureWithoutParams(name: string, at: Position, scope: FunctionScope, parseBody: () => Node): FunctionNode {
    const outer = this.#scope;
    this.#scope = scope;
    const body = parseBody();
    this.#scope = outer;
    return { name, params: [], captures: scope.captures, body, slotCount: scope.slotCount, depth: body.depth, at };
  }

  // Expressions

  #expression(minimum = 0): Node {
    return this.#nested(() => {
      let left = this.#unary();
      for (;;) {
        const token = this.#token;
        if (token.kind !== 'symbol' && token.kind !== 'keyword') return left;
        const precedence = PRECEDENCE.get(token.text);
        if (precedence === undefined || precedence < minimum) return left;
        this.#advance();
        const right = this.#expression(token.text === '**' ? precedence : precedence + 1);
        left = this.#operation(token.text, left, right, token.at);
      }
    });
  }

  #operation(operator: string, left: Node, right: Node, at: Position): Node {
    if (operator === '&&' || operator === '||' || operator === '??') {
      return this.#make({ kind: 'logic', operator, left, right }, at, [left, right]);
    }
    // SAFETY: what has a precedence and is no logic operator is one of these.
    return this.#make({ kind: 'binary', operator: operator as BinaryOperator, left, right }, at, [left, right]);
  }

  #unary(): Node {
    const { at } = this.#token;
    const operator = (['-', '+', '!'] as const).find((symbol) => this.#is(symbol));
    if (operator === undefined) return this.#postfix(this.#primary());
    this.#advance();
    const operand = this.#nested(() => this.#unary());
    const literal = operand.kind === 'literal' && operator !== '!' ? signed(operator, operand.value) : undefined;
    return literal === undefined
      ? this.#make({ kind: 'unary', operator, operand }, at, [operand])
      : this.#make({ kind: 'literal', value: literal }, at);
  }

  #postfix(start: Node): Node {
    let node = start;
    for (;;) {
      const { at } = this.#token;
      if (this.#is('[') || this.#is('?[')) {
        const isOptional = this.#is('?[');
        this.#advance();
        const base = node;
        const index = this.#expression();
        this.#expect(']', 'after the index');
        node = this.#make({ kind: 'index', base, index, isOptional }, at, [base, index]);
      } else if (this.#is('.') || this.#is('?.')) {
        const isOptional = this.#is('?.');
        this.#advance();
        node = this.#member(node, isOptional);
      } else {
        return node;
      }
    }
  }

  #member(base: Node, isOptional: boolean): Node {
    const { at } = this.#token;
    const name = this.#name('the name of a property or method');
    if (!this.#accept('(')) return this.#make({ kind: 'property', base, name, isOptional }, at, [base]);
    const args = this.#list(')');
    return this.#make({ kind: 'method', base, name, args, isOptional }, at, [base, ...args]);
  }

  #list(close: ')' | ']'): Node[] {
    const nodes: Node[] = [];
    while (!this.#accept(close)) {
      nodes.push(this.#expression());
      if (!this.#is(close)) this.#expect(',', 'after an element of the list');
    }
    return nodes;
  }

  #primary(): Node {
    const token = this.#token;
    switch (token.kind) {
      case 'number':
      case 'string':
      case 'char':
        this.#advance();
        return this.#make({ kind: 'literal', value: token.value }, token.at);
      case 'template':
        return this.#template();
      case 'name':
        return this.#nameExpression(token.text, token.at);
      case 'symbol':
        return this.#symbolExpression(token.text, token.at);
      case 'keyword':
        return this.#keywordExpression(token.text, token.at);
      case 'end':
        return this.#fail('The script ends where an expression is expected');
    }
  }

  #symbolExpression(symbol: string, at: Position): Node {
    switch (symbol) {
      case '(': {
        this.#advance();
        if (this.#accept(')')) return this.#make({ kind: 'literal', value: null }, at);
        const node = this.#expression();
        this.#expect(')', 'to close the parentheses');
        return node;
      }
      case '[': {
        this.#advance();
        const items = this.#list(']');
        return this.#make({ kind: 'array', items }, at, items);
      }
      case '#{':
        return this.#map(at);
      case '|':
      case '||':
        return this.#closure(at);
    }
    return this.#controlFlow() ?? this.#fail(`Expecting an expression, but ${this.#describe()}`);
  }

  #keywordExpression(keyword: string, at: Position): Node {
    if (keyword === 'true' || keyword === 'false') {
      this.#advance();
      return this.#make({ kind: 'literal', value: keyword === 'true' }, at);
    }
    if (this.#accept('this')) return this.#make({ kind: 'this' }, at);
    return this.#controlFlow() ?? this.#fail(`Expecting an expression, but ${this.#describe()}`);
  }

  #nameExpression(name: string, at: Position): Node {
    this.#advance();
    if (this.#accept('(')) {
      const names = name === 'is_def_var' ? this.#scope.visibleNames() : NO_NAMES;
      const args = this.#list(')');
      return this.#make({ kind: 'call', name, args, names }, at, args);
    }
    if (this.#is('::')) {
      if (name !== 'global') this.#fail(`'${name}::' is not available: there are no modules`, at);
      this.#advance();
      return this.#make({ kind: 'global', name: this.#name('the name of a constant') }, at);
    }
    const variable = this.#scope.find(name);
    return variable === undefined
      ? this.#make({ kind: 'unknown', name }, at)
      : this.#make({ kind: 'variable', variable }, at);
  }

  #map(at: Position): Node {
    this.#advance();
    const entries: MapEntry[] = [];
    const keys = new Set<string>();
    while (!this.#accept('}')) {
      const start = this.#token.at;
      const key = this.#mapKey();
      if (keys.has(key)) this.#fail(`There is another property ${JSON.stringify(key)} already`, start);
      keys.add(key);
      this.#expect(':', 'after the name of a property');
      entries.push({ key, value: this.#expression() });
      if (!this.#is('}')) this.#expect(',', 'after a property');
    }
    return this.#make({ kind: 'map', entries }, at, entries.map(({ value }) => value));
  }

  #mapKey(): string {
    const token = this.#token;
    if (token.kind === 'string' || (token.kind === 'template' && token.isLast)) {
      this.#advance();
      return token.value;
    }
    return this.#name('the name of a property');
  }

  #template(): Node {
    const { at } = this.#token;
    const parts: (string | Node)[] = [];
    for (;;) {
      const piece = this.#token;
      if (piece.kind !== 'template') this.#fail(`Expecting '}' to end the expression in the string`);
      if (piece.value !== '') parts.push(piece.value);
      if (piece.isLast) break;
      this.#advance();
      parts.push(this.#templateBlock(piece.at));
    }
    this.#advance();
    return this.#make({ kind: 'template', parts }, at, parts.filter((part) => typeof part !== 'string'));
  }

  /** Statements up to the brace that ends them; the text after it is the next piece of the string. */
  #templateBlock(at: Position): Node {
    return this.#nested(() => {
      this.#scope.enter();
      const body = this.#statements(() => this.#is('}') || this.#token.kind === 'end');
      this.#scope.leave();
      if (!this.#is('}')) this.#fail(`Expecting '}' to end the expression in the string, but ${this.#describe()}`);
      this.#token = this.#lexer.templatePiece(at);
      return this.#make({ kind: 'block', body }, at, body);
    });
  }
}

const COMPOUND: ReadonlySet<string> = new Set(['+', '-', '*', '/', '%', '**', '<<', '>>', '&', '|', '^']);

/** Parses a script; throws a RhaiError that says what is wrong and where. */
export function parseScript(source: string, limits: RhaiLimits): Program {
  if (source.length > limits.sourceLength) {
    throw new RhaiError('Syntax', `The script has more than ${limits.sourceLength} characters`, { line: 1, column: 1 });
  }
  return new Parser(source, limits).program();
}
