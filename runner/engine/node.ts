import type { InputAnswering, InputQuestion } from '../../types/answer_schema.ts';
import type { Graph, SnapshotNode, SnapshotTarget, WhenAbsent } from '../../types/flow.ts';
import { type Effects, isEffects, type NodeDefinition } from '../../types/node_definition.ts';
import type { LosslessJson, Value, ValueMap } from '../../types/values/value.ts';
import { codedError } from '../../types/run_errors.ts';
import type { OwnerFiles } from './owner_files.ts';
import { readField } from '../../types/values/conversion.ts';
import type { ReadableJson } from '../../types/values/json/readable_json.ts';

/** An input or output of a node, as the engine needs it. */
export interface InputPort {
  name: string;
  /** True if the node does not run without a value for this input. Has an effect only if an edge leads to the input. */
  required: boolean;
  /** The word by which the flow lets the node run if the edge into this optional input brings no value. */
  whenAbsent: WhenAbsent | undefined;
  /** True if the input is copied to an output of the same name when the node succeeds. */
  passthrough: boolean;
  /**
   * True if the first type bound is `pubkey`. If such an input is copied to an output, the output gets only the public
   * half of a key pair.
   */
  wantsPublicKey: boolean;
  /** The type bounds. Only the result of an edge's expression is converted to these types. Other values are not. */
  types: readonly string[];
}

interface OutputPort {
  name: string;
  /**
   * True if the node may succeed without a value for this output. Then the next nodes are notified, so that they do not
   * wait for ever.
   */
  optional: boolean;
}

export interface NodePorts {
  inputs: InputPort[];
  outputs: OutputPort[];
}

export type LogLevel = 'Trace' | 'Debug' | 'Info' | 'Warn' | 'Error';

/** The run that a node belongs to. */
export interface RunInfo {
  id: string;
  /** The owner of the flow. */
  ownerId: string;
  /**
   * The user who started the run, or the public key that an unauthenticated caller gave. Null if the user was deleted.
   */
  startedBy: string | null;
  /** The run's `chain_network`, for nodes and for the settlement of instructions. `url` may contain a secret. */
  network: { url: string; cluster: string };
  /** The flow's own settings. */
  environment: { [name: string]: string };
}

/** The inputs, settings and services that a node gets when it runs. */
export interface NodeCall {
  /**
   * Values by input name. A value comes from an edge, or else from form data. An optional input without a value is
   * missing.
   */
  inputs: ValueMap;
  /** The node's settings, as the editor saved them. */
  formData: LosslessJson;
  /** The names of the node's inputs and outputs, in order. */
  inputNames: readonly string[];
  outputNames: readonly string[];
  /**
   * The types that the flow's JSON declares for the inputs and outputs, in the order of their names. Undefined for a
   * node whose definition declares the ports.
   */
  portTypes?: PortTypes | undefined;
  /** The most bytes of the node's outputs, as JSON. */
  maxOutputBytes: number;
  run: RunInfo;
  /** The begin of this execution, perhaps in an earlier claim, in milliseconds since 1970. */
  startTime: number;
  /** Aborted when the run is halted and the grace for its nodes is over. The reason is the Halt. */
  signal: AbortSignal;
  /** Aborted when the worker releases the run. Then a node that may run again in the next claim throws Released. */
  releasing: AbortSignal;
  /** Aborted at the end of the slice of an Edge Function. Undefined in a long-lived worker. */
  wallEnd?: AbortSignal | undefined;
  /** The time limit of an attempt that the flow gives the node. */
  timeoutMs?: number | undefined;
  log: (level: LogLevel, content: string) => void;
  /**
   * Long computations call this function at intervals. It throws Released if the run is released. If this computation
   * alone has used the computing time of a whole claim, it throws node_cpu_limit.
   */
  checkTime: () => void;
  /** Runs another flow of the snapshot with these inputs, as a run of its own, and returns its outputs. */
  callFlow: (flowId: number, inputs: ValueMap) => Promise<ValueMap>;
  /** Returns the graph of a flow that the node may call; undefined if the snapshot has no such flow. */
  graphOfFlow: (flowId: number) => Graph | undefined;
  /** Returns the module of a described node that the node may call; undefined if the snapshot lacks its definition. */
  moduleOf: NodeRegistry;
  /**
   * Runs the steps of a plan as the executions of a called run of its own, and returns its outputs. The inputs of the
   * called run are the node's inputs.
   */
  runSteps: (plan: StepPlan) => Promise<ValueMap>;
  /**
   * Like `callFlow`, but returns the called flow's first instructions instead of sending them. The nodes behind these
   * instructions do not run. Only the settlement knows the type of the result.
   */
  collectInstructions: (flowId: number, inputs: ValueMap) => Promise<unknown>;
  /**
   * Tests whether the owner's own flows contain the key that this input holds. If the key comes from the starter of the
   * run or from outside, returns false. Such a key must not be used on the owner's behalf. The settlement makes the
   * test.
   */
  isNamedByFlow: (inputName: string, publicKey: string) => boolean;
  http: HttpClient;
  project: ProjectApi;
  openConnection: OpenConnection;
  models: ModelMeter;
  kv: KvStores;
  files: OwnerFiles;
  /** Computes a script in another thread; undefined if the runtime has no threads. */
  scripts?: ComputeScript | undefined;
  /**
   * Calls `wait`. Until its promise settles, the worker may execute other runs. `until` is the time at which the wait
   * ends by itself, in milliseconds since 1970. If the run has nothing else to do before `until`, it may be released.
   * So the wait must also end when `releasing` is aborted.
   */
  rest: <T>(wait: () => Promise<T>, until?: number) => Promise<T>;
  /**
   * Asks somebody outside for a value, and waits up to `timeoutMs` for it. Meanwhile the run sleeps. The value is
   * requested only once, even if several claims execute the run. If a webhook is given, the URL for the answer is
   * posted to the webhook. The question explains the purpose of the value, and limits the allowed values. The node must
   * call this function before its first pause. Throws a NodeError if the input is cancelled or expires.
   */
  askForInput: (input: WantedInput) => Promise<Value>;
}

/** An input for which a node asks somebody outside. */
export interface WantedInput extends InputAnswering {
  timeoutMs: number;
  webhook?: InputWebhook | undefined;
  question?: InputQuestion | undefined;
}

/** The address to which the message about a pending input is posted, and additions to that message. */
export interface InputWebhook {
  url: string;
  /** Headers by lower-case names. */
  headers: { [name: string]: string };
  /** Posted as `data.api_input.extra`. */
  extra: ReadableJson;
}

/** The services through which nodes act outside the run. */
export interface NodeServices {
  http: HttpClient;
  project: ProjectApi;
  openConnection: OpenConnection;
  models: ModelMeter;
  /** Returns the key-value stores for one execution of a node. */
  kv: (effect: Effect) => KvStores;
  files: OwnerFiles;
  inputs: PendingInputs;
  scripts?: ComputeScript | undefined;
  evaluateExpression: EvaluateExpression;
  rest: <T>(wait: () => Promise<T>) => Promise<T>;
}

/** The expression of an edge, and the value that it reads. */
interface EdgeExpression {
  expression: string;
  value: Value;
  /** The types of the input that gets the result. */
  types: readonly string[];
}

/**
 * Evaluates the expression of an edge, at once or through a promise. The result is undefined if the expression gives
 * none. Throws a NodeError if the expression is invalid or fails. For one value, an expression gives the same result
 * each time.
 */
export type EvaluateExpression = (
  expression: EdgeExpression,
  call:
    & Pick<NodeCall, 'maxOutputBytes' | 'scripts' | 'signal' | 'releasing' | 'checkTime' | 'rest'>
    & Pick<RunInfo, 'ownerId'>,
) => Value | undefined | Promise<Value | undefined>;

/** The types of a node's inputs and outputs, in the order of `inputNames` and `outputNames`. */
export interface PortTypes {
  inputs: readonly (readonly string[])[];
  outputs: readonly string[];
}

/** Code for the sandbox, with its settings. */
export interface SandboxCode {
  /**
   * The kind of code. `javascript` is code of a flow's author, perhaps with TypeScript's type annotations. With the
   * other kinds, code of this project calls the named library.
   */
  library: 'javascript' | 'jsonata' | 'mustache' | 'csv';
  /** The body of an asynchronous function whose parameters are the inputs. */
  source: string;
  hasClock: boolean;
  hasRandom: boolean;
  /**
   * The time that the code gets whenever it reads the clock, in milliseconds since 1970. If undefined, reading the
   * clock is an error.
   */
  fixedTime?: number | undefined;
  /**
   * The types that every output may have. An output gets the first type that fits its value. If undefined, each output
   * may have the types of its port.
   */
  outputTypes?: readonly string[] | undefined;
}

/** A script with its inputs. It is plain data, so it can be sent to another thread. */
export interface ScriptTask {
  inputs: ValueMap;
  inputNames: readonly string[];
  outputNames: readonly string[];
  environment: { [name: string]: string };
  /** Undefined if the task is a Rhai script. The text of a Rhai script is in `inputs`, as `source`. */
  sandbox?: SandboxCode & { portTypes?: PortTypes | undefined; maxOutputBytes: number };
}

/** The result of a script, with the lines that it logged. */
export type ScriptResult = { lines: [level: LogLevel, content: string][] } & ({ outputs: ValueMap } | { error: Error });

/**
 * Computes a script in a separate thread. The script waits until a thread is free for it. Rejects with Released if the
 * run is released, and with the run's error if the run ends. If no thread can be started, rejects with ThreadMissing.
 */
export type ComputeScript = (
  task: ScriptTask,
  run: Pick<NodeCall, 'signal' | 'releasing'>,
) => Promise<ScriptResult>;

/** Thrown if a script needs a thread but the runtime has no threads. */
export class ThreadMissing extends Error {
  override name = 'ThreadMissing';
}

/**
 * The secret of a connection, which the HTTP client adds to requests. Nodes can't read it, and errors do not contain
 * it.
 */
export interface Credential {
  /**
   * Throws a NodeError if a request to this URL may not carry the secret, or if it already carries other credentials.
   */
  check: (url: URL, headers: Headers) => void;
  /** Returns a copy with the secret. Returns `head` itself if the URL is not on one of the connection's hosts. */
  add: (head: { url: URL; headers: Headers }) => { url: URL; headers: Headers };
  /** Returns the URL of a redirect. If it has the query parameter that carries the secret, the parameter is removed. */
  remove: (url: URL) => URL;
  /**
   * The HTTP client calls this function if a server answers 401 to the secret. Undefined if the connection can't get
   * another secret.
   */
  refused?: (() => Promise<void>) | undefined;
  /** Replaces the secret wherever a server repeats it. */
  redaction: { text: (text: string) => Promise<string>; bytes: (bytes: Uint8Array) => Promise<Uint8Array> };
}

/** Opens the run's connection of this name. Throws a NodeError if the connection does not exist or can't be opened. */
export type OpenConnection = (name: string, signal: AbortSignal) => Promise<Credential>;

/** Counts the calls of models that a tree of runs makes. */
export interface ModelMeter {
  /**
   * Called before a call. Throws a NodeError if the run or its deployment has used its tokens, and Released if the
   * database does not answer.
   */
  begin: () => Promise<void>;
  /** Called after a call, also after a failed one. Stores its tokens. */
  end: (model: string, usage: ModelUsage) => Promise<void>;
}

/** The tokens of one call of a model. */
export interface ModelUsage {
  inputTokens: number;
  outputTokens: number;
}

/** An HTTP request of a node. */
export interface HttpRequest {
  method: string;
  url: string;
  headers: [name: string, value: string][];
  body?: Uint8Array;
  /** Makes the body just before the request is sent. So a request that waits for its turn holds no body in memory. */
  makeBody?: (() => Uint8Array | Promise<Uint8Array>) | undefined;
  /** The most bytes of the answer's body, if this is less than the client's own limit. */
  maxResponseBytes?: number;
  /** The time limit of the request. Default: the client's own limit. */
  timeoutMs?: number;
  /** The longest time for which the server may send nothing. Default: the client's own limit of a request. */
  idleMs?: number;
  /** Receives the answer while it arrives. Then the returned answer has an empty body. */
  receive?: AnswerReceiver;
  /**
   * True if only the head of the answer matters. Then a body that is too long, breaks off or stalls is no error: the
   * received part is returned.
   */
  takesPartOfBody?: boolean;
  /** True if redirects are not followed. Then the answer may be a redirect. */
  refusesRedirects?: boolean;
  /** The secret that the request carries. If the answer repeats the secret, the secret is replaced. */
  credential?: Credential | undefined;
  signal: AbortSignal;
}

/** Receives an answer while it arrives. An error that it throws ends the request; it has to be a NodeError. */
export interface AnswerReceiver {
  /** Called once, when the status and the headers have arrived. Redirects that are followed are left out. */
  head: (head: Omit<HttpResponse, 'body'>) => void;
  /**
   * Gets the next decoded bytes of the body. The client reads on when the promise resolves. A piece of an event stream
   * (`text/event-stream`) consists of whole events. If the request has a credential, any other body comes in one piece,
   * because the secret has to be found in it.
   */
  piece: (bytes: Uint8Array) => void | Promise<void>;
}

/** An HTTP answer: header names in lower case. */
export interface HttpResponse {
  status: number;
  headers: { [name: string]: string };
  /**
   * The headers `Set-Cookie` of the answer, after those of redirects from the same host. Undefined if the client does
   * not collect them.
   */
  cookies?: readonly string[];
  body: Uint8Array;
}

/** Makes requests to addresses that a flow may reach. Throws a NodeError for all other addresses, and for failures. */
export interface HttpClient {
  request: (request: HttpRequest) => Promise<HttpResponse>;
}

/**
 * The REST API of the runner's own project. By default, a request may do what row-level security allows to the run's
 * owner.
 */
export interface ProjectApi {
  /** The address of the API, without a slash at its end. Throws a NodeError if the runner does not know the address. */
  restUrl: () => string;
  /** Tests whether a request to this URL reaches the API. */
  serves: (url: URL) => boolean;
  /**
   * Makes a request to the API. If the headers have a credential, the request acts for the holder of this credential,
   * otherwise for the owner of the run. Does not follow redirects. Throws a NodeError for a URL outside the API.
   */
  request: (request: Omit<HttpRequest, 'refusesRedirects'>) => Promise<HttpResponse>;
  /** Returns the columns of a table's primary key; none for a view, or for a table without a primary key. */
  primaryKeyColumns: (table: string, schema: string) => Promise<string[]>;
}

/**
 * Names one execution of a node. If the same execution requests a change several times, the database makes the change
 * once.
 */
export interface Effect {
  flow_run_id: string;
  node_id: string;
  /** The index of the execution among those of its node, from 0. Skipped elements of a loop also have an index. */
  times: number;
}

/** The key-value stores of the run's owner. Methods throw a NodeError if a store or a limit refuses the call. */
export interface KvStores {
  create: (store: string) => Promise<void>;
  delete: (store: string) => Promise<void>;
  /** Resolves with undefined if the item does not exist. */
  read: (store: string, key: string) => Promise<Value | undefined>;
  /** Resolves with the previous value. */
  write: (store: string, key: string, value: Value) => Promise<Value | undefined>;
}

/** The state of an input that a node execution has requested. */
export type InputState =
  | { status: 'submitted'; value: Value }
  | { status: 'cancelled' | 'expired' }
  | { status: 'open'; leftMs: number };

/** The inputs that the executions of a claimed run wait for. */
export interface PendingInputs {
  /**
   * Makes a URL for one answer, and the token at its end. Throws a NodeError if the runner does not know the address of
   * its project.
   */
  makeAddress: () => { token: string; url: string };
  /** Reads the state of an execution's input. Throws Released if the claim is lost or the database does not answer. */
  look: (execution: Effect) => Promise<InputState>;
  /** Resolves as soon as an input of the run may have been answered, the time is over, or a signal is aborted. */
  untilNews: (timeoutMs: number, ...signals: AbortSignal[]) => Promise<void>;
}

/** Thrown by a node that stops because its run is released. The next claim runs the node again. */
export class Released extends Error {
  override name = 'Released';
}

/** The reason why a run ends before it is done. It is the reason of the aborted `signal` of a node's call. */
export interface Halt {
  status: 'stopped' | 'failed';
  /** The error of the cancelled nodes. If the run fails, it is also the error of the run. */
  message: string;
  /** Milliseconds that running nodes have to end by themselves. */
  graceMs: number;
}

/** Makes the error of a node that ends because its run ends. */
export function haltError(signal: AbortSignal): NodeError {
  // SAFETY: this signal is always aborted with a Halt.
  return new NodeError((signal.reason as Halt).message);
}

/** The effects of a called flow that count as effects of the calling node. */
export type CalledEffects = 'all' | 'without_instructions';

/** The properties that every native node may declare. */
interface NodeTraits {
  definition: NodeDefinition;
  /**
   * Set if the node has one port on this side, and the label in the form data is the name of this port. The port's name
   * in the flow's JSON is ignored.
   */
  labelledSide?: 'input' | 'output';
  /** Set if the flow's JSON, and not the definition, declares the node's ports (`true`) or its ports on one side. */
  takesPortsFromFlow?: true | 'inputs' | 'outputs';
  /**
   * True if any output of the node may stay without a value, even one that the flow's JSON does not declare as
   * optional.
   */
  leavesOutputsUnset?: true;
  /** True if the node gets the inputs of the flow instead of its own. */
  takesFlowInputs?: true;
  /**
   * True if the node runs exactly once, after its input's edge has brought the last value. The node gets all these
   * values as one array (`A`).
   */
  collects?: true;
  /**
   * Set only for a node that collects. Tests whether the node runs although an element of the loop failed, and then gets
   * the others.
   */
  leavesOutFailed?: (formData: LosslessJson) => boolean;
  /** True if the node also runs if only its form data has a value, and none of its edges brings one. */
  runsOnFormValue?: true;
  /** True if the next nodes get the node's array outputs element by element. */
  spreads?: true;
  /** True if the node's output is an output of the flow. */
  isFlowOutput?: true;
  /**
   * True if the node asks somebody outside for a value. If an attempt of such a node times out, there is no further
   * attempt.
   */
  asksForInput?: true;
  /**
   * Set if the value of one input decides the node's effects. For some values, the node has fewer effects than its
   * definition declares.
   */
  effectsByInput?: {
    name: string;
    effectsOf: (inputs: ValueMap) => Effects;
  };
  /**
   * Set if the node calls flows that its form data names, and so has the greatest effects of these flows. With
   * `without_instructions`, the called flow's instructions are not sent, so they do not count.
   */
  effectsOfCalledFlow?: CalledEffects;
  /** Returns the ids of these flows. Without this function, the form data name one flow by its `id`. */
  calledFlows?: (formData: LosslessJson) => readonly number[];
  /** Returns the described nodes that the node calls. Their effects count like those of called flows. */
  calledNodes?: (formData: LosslessJson) => readonly NodeKind[];
  /** True if the flow's author wrote the keys in the outputs into the form data. */
  namesKeys?: true;
  /** Names the input or inputs from which the keys in the outputs come. */
  handsOnKeysOf?: string | readonly string[];
  /** Returns the most milliseconds of an attempt that the form data allow. The flow may allow less by `data.timeout_ms`. */
  timeLimitMs?: (formData: LosslessJson) => number | undefined;
  /** Returns the id of the called flow. That flow gets the node's inputs, and its outputs become the node's outputs. */
  calledFlow?: (formData: LosslessJson) => number;
}

/**
 * Returns the greatest effects outside the run that the node's definition declares. An unknown word counts as `once`.
 * With `none`, the node may run again. With `idempotent` and `once`, the begin of the node is stored before it runs. An
 * `idempotent` node may run again. A node with `once` fails instead.
 */
export const publishedEffects = ({ definition: { data: { effects } } }: Pick<NodeTraits, 'definition'>): Effects =>
  effects == null ? 'none' : isEffects(effects) ? effects : 'once';

/** Returns the effects of an execution with these inputs. */
export const effectsWith = (module: NodeTraits, inputs: ValueMap): Effects =>
  module.effectsByInput?.effectsOf(inputs) ?? publishedEffects(module);

/** A node that computes its outputs. */
export interface NodeModule extends NodeTraits {
  /** Computes the outputs by name. A thrown error becomes the node's error. */
  run: (call: NodeCall) => ValueMap | Promise<ValueMap>;
}

/** One execution in a run whose executions a node chooses, one after the other. */
export interface ChosenStep {
  /**
   * The name of the step's node, unique within the plan. The id of the node is made from this name, so steps of one
   * name are the executions 0, 1, 2… of one node.
   */
  name: string;
  /** The title of the step's node, for errors. */
  title: string;
  /** A module whose definition has no ports: the step gives the inputs, and the module gives any outputs. */
  module: NodeModule;
  formData: LosslessJson;
  /** The inputs, as they are stored. */
  inputs: ValueMap;
  /** True if the plan goes on after a failure of the step. Some errors, such as `outcome_unknown`, end it in any case. */
  mayFail: boolean;
}

/** The end of a step. */
export type StepEnd = { outputs: ValueMap } | { error: string };

/**
 * Chooses the steps of a run. Each claim goes through the plan again, with the stored ends of earlier steps. So the plan
 * must choose by its arguments and by these ends alone: it reads no clock and nothing random.
 */
export interface StepPlan {
  /** The names that the steps may have. */
  stepNames: readonly string[];
  /** Yields each step, gets its end, and returns the outputs of the run. A thrown error becomes the run's error. */
  steps: Generator<ChosenStep, ValueMap, StepEnd>;
  /** Returns the outputs of a run that must end before its plan. */
  outputsOfHalt: (halt: Halt) => ValueMap;
}

/** The instructions and outputs of an instruction node. */
export interface HandedInstructions {
  /** The instructions, in a form that only the settlement knows. */
  instructions: unknown;
  /** All outputs but `signature`. The next nodes get them at once, before the instructions are settled. */
  outputs: ValueMap;
}

/**
 * An instruction node. It hands over instructions, and ends when they are settled. The instructions of several nodes
 * may be settled together. The engine reads its input `submit` and sets its output `signature`.
 */
export interface SettledModule extends NodeTraits {
  /**
   * Makes the instructions. It may read outside the run but must not change anything. A thrown error becomes the node's
   * error.
   */
  buildInstructions: (call: NodeCall) => HandedInstructions | Promise<HandedInstructions>;
}

export type AnyModule = NodeModule | SettledModule;

/** Finds the module of a native node. */
export type NativeNodes = (nodeId: string) => AnyModule | undefined;

/** Finds the module of a node of a flow; undefined if the runner can't execute the node. */
export type NodeRegistry = (data: NodeKind) => AnyModule | undefined;

/** The members of a node that determine its module. */
export type NodeKind = Pick<SnapshotNode['data'], 'type' | 'node_id' | 'definition'>;

/** Makes the registry of a run without described nodes. */
export const onlyNative = (natives: NativeNodes): NodeRegistry => ({ type, node_id }) =>
  type === 'native' ? natives(node_id) : undefined;

/** Details of a transient failure. After such a failure, the same attempt may succeed later. */
export interface Transience {
  /** The milliseconds that a server asks the client to wait. */
  retryAfterMs?: number | undefined;
}

/** A failure that a node reports to the flow's author. */
export class NodeError extends Error {
  override name = 'NodeError';
  /**
   * Set only for a transient failure. If the flow allows it (`data.retry`), the node is tried again after such a
   * failure.
   */
  transience?: Transience;
}

/**
 * Makes the error of a node whose outputs would have more than `maxBytes`. `what` is the begin of the error's sentence,
 * such as `the result does not`.
 */
export const outputTooLarge = (what: string, maxBytes: number): NodeError =>
  new NodeError(codedError('output_too_large', `${what} fit into an output of ${maxBytes} bytes`));

/** The word by which the flow lets the node run if this declared input gets no value from its edge. */
export const whenAbsentOf = (target: SnapshotTarget | undefined): WhenAbsent | undefined =>
  target?.when_absent ?? undefined;

/**
 * Tests whether the flow's JSON makes an optional input of the definition required. The flow can't make a required
 * input optional.
 */
const isMadeRequired = (target: SnapshotTarget | undefined): boolean =>
  target?.required === true && whenAbsentOf(target) === undefined;

/**
 * Returns the ports of one node in a flow, as the node's definition and the flow's JSON declare them. If a port has a
 * label, the label is its name.
 */
export function nodePorts(module: AnyModule, use: SnapshotNode['data']): NodePorts {
  const { targets, sources } = module.definition;
  const [drawn] = module.labelledSide === 'input' ? use.targets : use.sources;
  const label = formText(use.targets_form.form_data, 'label') ?? drawn?.name ?? '';
  const drawnTargets = new Map(use.targets.toReversed().map((target) => [target.name, target]));
  return {
    inputs: targets.map((target) => ({
      name: module.labelledSide === 'input' ? label : target.name,
      required: target.required || isMadeRequired(drawnTargets.get(target.name)),
      whenAbsent: whenAbsentOf(drawnTargets.get(target.name)),
      passthrough: target.passthrough ?? false,
      wantsPublicKey: target.type_bounds[0] === 'pubkey',
      types: target.type_bounds,
    })),
    outputs: sources.map((source) => ({
      name: module.labelledSide === 'output' ? label : source.name,
      optional: source.optional ?? false,
    })),
  };
}

/**
 * Returns the input's value. Throws an error if the input has no value. The error has the text of the reference server,
 * a flow server in Rust.
 */
export function requireInput(inputs: ValueMap, name: string): Value {
  return readField(inputs, name, (value) => value);
}

/** Returns a text member of a node's form data; undefined if the member is missing. */
export function formText(
  formData: LosslessJson,
  member: string,
): string | undefined {
  const value = formMember(formData, member);
  return typeof value === 'string' ? value : undefined;
}

/**
 * Opens the connection that a node's form data names; undefined if the form data name none. Inputs can't name a
 * connection, so only the flow's author can.
 */
export async function formConnection(
  { formData, openConnection }: Pick<NodeCall, 'formData' | 'openConnection'>,
  signal: AbortSignal,
): Promise<Credential | undefined> {
  const name = formMember(formData, 'connection') ?? '';
  if (typeof name !== 'string') throw new NodeError('connection must be the name of a connection');
  return name === '' ? undefined : await openConnection(name, signal);
}

/** Returns a member of a node's form data; undefined if the member is missing. */
export function formMember(
  formData: LosslessJson,
  member: string,
): LosslessJson | undefined {
  if (
    typeof formData !== 'object' || formData === null || Array.isArray(formData)
  ) return undefined;
  return Object.hasOwn(formData, member) ? (formData as { [name: string]: LosslessJson })[member] : undefined;
}
