// Replaces the TypeScript of a source by spaces, so that every other character keeps its line and column.

const ERASED = new Set([
  'TSInterfaceDeclaration',
  'TSTypeAliasDeclaration',
  'TSDeclareFunction',
  'TSDeclareMethod',
  'TSIndexSignature',
  'TSAbstractMethodDefinition',
  'TSAbstractPropertyDefinition',
]);

/** TypeScript that is code, and not only types. */
const REFUSED = {
  TSEnumDeclaration: 'an enum is code; use an object',
  TSModuleDeclaration: 'a namespace is code; use an object',
  TSParameterProperty: 'a parameter property is code; assign it in the constructor',
  TSImportEqualsDeclaration: 'scripts have no imports',
  TSExportAssignment: 'scripts have no exports',
  Decorator: 'scripts have no decorators',
};

/** Statements that a line end may end. */
const ENDED_BY_LINES = new Set([
  'VariableDeclaration',
  'ExpressionStatement',
  'ReturnStatement',
  'ThrowStatement',
  'PropertyDefinition',
]);

const MODIFIERS = new Set(['public', 'private', 'protected', 'readonly', 'override', 'declare', 'abstract']);

const isWordCharacter = (character) => /[\w$]/.test(character);

export function blankTypes(source, program) {
  const written = [...Array(source.length)].map((_, index) => source[index]);

  const blank = (from, to, first = ' ') => {
    for (let at = from; at < to; at++) {
      if (!'\n\r\u2028\u2029'.includes(source[at])) written[at] = at === from ? first : ' ';
    }
  };
  /** The semicolon keeps the statements before and behind apart. */
  const erase = ({ start, end }) => blank(start, end, ';');
  const blankSign = (sign, from, to) => {
    const at = source.indexOf(sign, from);
    if (at !== -1 && at < to) blank(at, at + 1);
  };
  /**
   * Blanks modifiers such as private before the name of a member. The semicolon ends the member before. The semicolon
   * may not follow a word that stays, such as static.
   */
  const blankModifiers = (from, to) => {
    let first = ';';
    for (let at = from; at < to;) {
      let end = at;
      while (end < to && isWordCharacter(source[end])) end += 1;
      if (MODIFIERS.has(source.slice(at, end))) blank(at, end, first);
      else if (end > at) first = ' ';
      at = Math.max(end, at + 1);
    }
  };

  const refuse = (node, message) => {
    throw Object.assign(new SyntaxError(message), { loc: node.loc.start });
  };

  /** Visits a type expression that wraps another expression. Returns false for other nodes. */
  function visitWrapper(node) {
    if (node.type === 'TSAsExpression' || node.type === 'TSSatisfiesExpression') {
      const word = node.type === 'TSAsExpression' ? 'as' : 'satisfies';
      blank(source.lastIndexOf(word, node.typeAnnotation.start - 1), node.typeAnnotation.end);
    } else if (node.type === 'TSNonNullExpression') blank(node.end - 1, node.end);
    else if (node.type === 'TSInstantiationExpression') blank(node.typeArguments.start, node.typeArguments.end);
    else if (node.type === 'TSTypeAssertion') {
      blank(node.start, source.indexOf('>', node.typeAnnotation.end) + 1);
    } else return false;
    visit(node.expression, node);
    return true;
  }

  function visitClass({ start, implements: implemented = [], abstract }) {
    if (abstract) blank(start, source.indexOf('class', start), ';');
    const [first] = implemented;
    if (first === undefined) return;
    blank(source.lastIndexOf('implements', first.start - 1), implemented.at(-1).end);
  }

  function visitMember(node) {
    const { start, key, typeAnnotation, value, optional, definite } = node;
    blankModifiers(start, key.start);
    const end = typeAnnotation?.start ?? value?.start ?? node.end;
    if (optional) blankSign('?', key.end, Math.max(end, key.end + 1));
    if (definite) blankSign('!', key.end, end);
  }

  function visitParameters([first, second]) {
    if (first?.type !== 'Identifier' || first.name !== 'this') return;
    if (second !== undefined) return blank(first.start, second.start);
    blank(first.start, first.end);
    const comma = /^\s*,/.exec(source.slice(first.end));
    if (comma !== null) blank(first.end, first.end + comma[0].length);
  }

  function visitOptional(node) {
    const from = node.type === 'Identifier' ? node.start + node.name.length : node.start;
    const to = node.typeAnnotation?.start ?? node.end;
    const at = source.lastIndexOf('?', to - 1);
    if (at >= from) blank(at, at + 1);
  }

  function visit(node, parent) {
    if (Object.hasOwn(REFUSED, node.type) && !node.declare) return refuse(node, REFUSED[node.type]);
    const isMember = node.type === 'PropertyDefinition' || node.type === 'MethodDefinition';
    if (
      node.declare || ERASED.has(node.type) ||
      isMember && (node.abstract || node.type === 'MethodDefinition' && !node.value.body)
    ) {
      return erase(node);
    }
    if (visitWrapper(node)) return;
    if (node.type.startsWith('TS')) return blank(node.start, node.end);
    if (isMember) visitMember(node);
    if (node.type === 'ClassDeclaration' || node.type === 'ClassExpression') visitClass(node);
    if (node.params !== undefined) visitParameters(node.params);
    if (node.optional && ['Identifier', 'ObjectPattern', 'ArrayPattern'].includes(node.type)) visitOptional(node);
    if (node.type === 'VariableDeclarator' && node.definite) blankSign('!', node.id.start, node.id.end);
    for (const name of Object.keys(node)) {
      if (name === 'loc' || name === 'implements') continue;
      const child = node[name];
      if (Array.isArray(child)) { for (const each of child) visitAny(each, node); }
      else visitAny(child, node);
    }
    const isHead = parent?.type.startsWith('For') && parent.body !== node;
    if (ENDED_BY_LINES.has(node.type) && !isHead && source[node.end - 1] !== ';' && written[node.end - 1] === ' ') {
      written[node.end - 1] = ';';
    }
  }

  const visitAny = (child, parent) => {
    if (typeof child === 'object' && child !== null && typeof child.type === 'string') visit(child, parent);
  };

  visit(program);
  return written.join('');
}
