import { functionKey, type Node, type NodeOf } from '../parsing/ast.ts';
import { cellOf, compileRef, isEnded, type Locate } from './compile_places.ts';
import { type CompileNode, type Compiler, type Context, evaluateAll } from './compiler.ts';
import { type Ref, SlotRef } from '../refs.ts';
import type { CompiledFunction, Frame, Lent } from '../run.ts';
import { FnPointer, RhaiMap } from '../values.ts';

/**
 * Compiles `is_def_var`. Names that the script defines are known at compile time. Names that the caller gives are known
 * only at run time.
 */
const compileIsDefined: CompileNode<'call'> = (compiler, { name, args, names, at }, context) => {
  const argument = compiler.owned(args[0]!, context);
  return (frame) => {
    const { run } = frame;
    const value = argument(frame);
    run.tick(at);
    run.at = at;
    if (typeof value !== 'string') return run.noFunction(name, [value]);
    run.charge(names?.blockCount ?? 0);
    run.chargeText(value.length);
    return names?.has(value) === true || (names?.seesGiven === true && run.given.has(value)) ||
      frame.lent?.(value) !== undefined;
  };
};

/** Some calls lend the caller's variables to the called function. Compiles the lookup of such a variable. */
function compileLent(compiler: Compiler, { names, isLending }: NodeOf<'call'>): ((frame: Frame) => Lent) | undefined {
  if (!isLending || names === undefined) return undefined;
  const { given } = compiler.program;
  return (frame) => (name) => {
    frame.run.charge(2 + names.blockCount);
    const variable = names.find(name) ?? (frame.isMain ? given.get(name) : undefined);
    if (variable === undefined || frame.slots[variable.slot] === undefined) return frame.lent?.(name);
    const { slot, isConstant, isGiven } = variable;
    const isFixed = isConstant || (isGiven && frame.run.constants.has(name));
    return new SlotRef(frame.slots, slot, isFixed ? name : undefined);
  };
}

/** Compiles a call of a function of the script. */
const compileScriptCall: CompileNode<'call'> = (compiler, node, context) => {
  const { name, args, at } = node;
  const values = args.map((arg) => compiler.owned(arg, context));
  const lend = compileLent(compiler, node);
  const key = functionKey(name, args.length);
  let callee: CompiledFunction | undefined;
  return (frame) => {
    const { run } = frame;
    const given = evaluateAll(values, frame);
    run.tick(at);
    run.at = at;
    callee ??= run.functions.get(key);
    return callee === undefined ? run.noFunction(name, given) : run.invoke(callee, given, [], undefined, lend?.(frame));
  };
};

/**
 * Compiles the place of the first argument. A built-in function needs this place, because it may change its first
 * argument in the way in which a method changes its subject.
 */
const compileSubject = (compiler: Compiler, node: Node | undefined, context: Context): Locate | undefined =>
  node?.kind === 'variable' || node?.kind === 'unknown' || node?.kind === 'this'
    ? compileRef(compiler, node, context)
    : undefined;

export const compileCall: CompileNode<'call'> = (compiler, node, context) => {
  const { name, args, at } = node;
  if (compiler.program.functions.has(functionKey(name, args.length))) return compileScriptCall(compiler, node, context);
  if (name === 'is_def_var' && args.length === 1) return compileIsDefined(compiler, node, context);
  const [firstNode, ...otherNodes] = args;
  const isCall = name === 'call';
  const subject = node.isLending ? undefined : compileSubject(compiler, args[isCall ? 1 : 0], context);
  const locate = isCall ? undefined : subject;
  const first = firstNode === undefined ? undefined : compiler.owned(firstNode, context);
  const others = otherNodes.map((arg) => compiler.owned(arg, context));
  const lend = compileLent(compiler, node);
  return (frame) => {
    const { run } = frame;
    const given = locate === undefined ? first?.(frame) : undefined;
    const rest = evaluateAll(others, frame);
    // As in Rhai, a variable that is the first argument is read last, because the other arguments may change it.
    const ref = locate?.(frame);
    const value = ref === undefined ? given : ref.get();
    run.tick(at);
    run.at = at;
    if (isCall && value instanceof FnPointer) {
      return run.callPointer(value, rest, undefined, lend?.(frame), subject?.(frame));
    }
    return run.callPlain(name, value === undefined ? rest : [value, ...rest], ref);
  };
};

export const compileMethod: CompileNode<'method'> = (
  compiler,
  { base, name, args, isOptional, mayEnd, at },
  context,
) => {
  const locate = compileRef(compiler, base, context);
  const values = args.map((arg) => compiler.owned(arg, context));
  const key = functionKey(name, args.length);
  const isScripted = compiler.methodKeys.has(key);
  return (frame) => {
    const { run } = frame;
    const ref: Ref = locate(frame);
    if (mayEnd && isEnded(frame, isOptional, ref.get())) return null;
    const given = evaluateAll(values, frame);
    run.tick(at);
    run.at = at;
    const subject = ref.get();
    if (subject instanceof RhaiMap) {
      const property = subject.properties.get(name);
      if (property instanceof FnPointer) return run.callPointer(property, given, ref);
    }
    if (name === 'call') {
      if (subject instanceof FnPointer) return run.callPointer(subject, given);
      const [pointer, ...rest] = given;
      if (pointer instanceof FnPointer) return run.callPointer(pointer, rest, ref);
    }
    const callee = isScripted ? run.findMethod(name, args.length, subject) : undefined;
    return callee === undefined ? run.callNative(name, ref, given) : run.invoke(callee, given, [], ref);
  };
};

export const compileClosure: CompileNode<'closure'> = (compiler, { closure, at }) => {
  const callee = compiler.compileFunction(closure);
  const captures = closure.captures.map(({ outer }) => ({
    outer,
    isFunction: outer.isGiven && compiler.functionNames.has(outer.name),
  }));
  return (frame) => {
    frame.run.tick(at);
    frame.run.charge(captures.length >> 2);
    const cells = captures.map(({ outer, isFunction }) => cellOf(frame, outer, isFunction, at));
    return new FnPointer(closure.name, cells, callee);
  };
};
