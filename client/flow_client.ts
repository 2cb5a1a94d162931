import type { Database } from '../types/database.types.ts';
import type { DeployFlowResult, StartFlowResult, StartResult } from '../types/deployment.ts';
import type { ServerTools } from '../types/described/server_tools.ts';
import type { RunStatus } from '../types/flow_run.ts';
import type { RunEvent } from '../types/run_event.ts';
import type { PendingSignatureRequest } from '../types/signature_request.ts';
import type { ValueMap } from '../types/values/value.ts';
import type { PlainValue, PlainValues } from './plain_value.ts';

/** The settings of a client. */
export interface FlowClientOptions {
  /** How often the client repeats a request that got no answer, if it is safe to repeat the request; 2 by default. */
  retries?: number;
}

/** The options of every call. */
export interface RequestOptions {
  /** If the signal aborts, the call ends with the error `aborted`. */
  signal?: AbortSignal | undefined;
}

/** A deployment by its id, or by its flow and a tag (`latest` by default). A number is the id of a flow. */
export type DeploymentTarget = string | number | { id: string } | { flow: number; tag?: string | undefined };

/** The inputs and outputs of a deployment as JavaScript types. `npx flows types` writes these types. */
export interface DeploymentTypes {
  inputs: object;
  outputs: object;
}

/** A flow to store, as columns of the table `flows`. `editorFlowToRow` converts a flow that an editor exported. */
export interface FlowToStore {
  name?: string;
  description?: string;
  nodes: readonly object[];
  edges: readonly object[];
  /** Settings of the flow's transactions, and values for its scripts. Only the owner can read them. */
  environment?: { [name: string]: string };
  /** Solana devnet by default. */
  chain_network?: { url: string; cluster: string };
  /** `Automatic` if nodes share transactions, otherwise `Off`. */
  instructions_bundling?: string;
  /**
   * Lets others read the flow in `public_flows`: its graph with all values in its nodes. Only the owner can read
   * `environment` and the address of the network. If false, only the owner may start new deployments of the flow.
   */
  is_public?: boolean;
  /** If `is_public` is also true, every user who has signed up may start new deployments of the flow. */
  start_shared?: boolean;
  /** If `is_public` and `start_shared` are also true, anybody may start new deployments of the flow. */
  start_unverified?: boolean;
}

export interface DeployOptions extends RequestOptions {
  /** Refuse the flow if it has warnings. */
  strict?: boolean;
  /** A tag to give to the new deployment, in addition to `latest`. */
  tag?: string | undefined;
  /**
   * A tag or the id of a deployment of the flow. The new deployment takes over all its settings, such as who may start
   * it. Without this option, the settings are those of the flow and the defaults.
   */
  settingsFrom?: string | undefined;
}

declare const outputsOf: unique symbol;

/**
 * A started run: its id, and a token whose holder can see the run. The type parameter `Outputs` has no effect at run
 * time.
 */
export interface StartedRun<Outputs extends object = PlainValues> extends StartResult {
  readonly [outputsOf]?: Outputs;
}

/** A run: the result of a start, or an id. If the token of the run is given, the client needs no other credential. */
export type RunReference<Outputs extends object = PlainValues> =
  | StartedRun<Outputs>
  | { flow_run_id: string; token?: string | undefined }
  | string;

export interface StartOptions extends RequestOptions {
  /**
   * Inputs as tagged values, by name: for values that have no plain form. Each input is given either here or as a plain
   * value.
   */
  inputs?: ValueMap;
  /**
   * A repeated start with the same key returns the same run. The key is random by default, so that the client may
   * retry.
   */
  idempotencyKey?: string | undefined;
  /** Start as the unauthenticated caller who has this public key, even if a user is signed in. */
  publicKey?: string | undefined;
  /**
   * With `publicKey`, the token of an earlier run: if the deployment debounces its starts and that run has not begun,
   * this start replaces its inputs. Users need no token.
   */
  token?: string | undefined;
  /**
   * The public key of the wallet that signs and sends the transaction. Only for deployments with an action identity.
   */
  actionSigner?: string | undefined;
  /**
   * Seconds, only for the owner: among the owner's waiting runs, the run has the place of a run that was started so
   * much earlier, or later if the number is negative.
   */
  priority?: number | undefined;
}

/** The arguments of `start` that follow the target. If no input is required, the inputs may be omitted. */
export type StartArguments<Inputs extends object> = Record<never, never> extends Inputs
  ? [values?: Inputs, options?: StartOptions]
  : [values: Inputs, options?: StartOptions];

export interface OutputOptions extends RequestOptions {
  /**
   * Milliseconds after which the wait ends with the error `timed_out`. By default, the wait lasts as long as the run.
   */
  timeoutMs?: number | undefined;
}

export interface RunNodeOptions extends RequestOptions {
  /** An ended run of the flow. Nodes before the selected ones are not executed: their outputs come from this run. */
  from?: RunReference<object> | undefined;
  /**
   * Inputs of the node as plain values, which `toValue` converts. If there are several nodes, the values are for the
   * first.
   */
  values?: { [input: string]: PlainValue | undefined } | undefined;
  /** Inputs of the node as tagged values. They replace plain values of the same name. */
  inputs?: ValueMap | undefined;
  /** Outputs of other nodes, by node and output, as tagged values. They replace outputs of `from`. */
  outputs?: { [nodeId: string]: ValueMap } | undefined;
  /** Values for names in the environment that the flow itself does not define. */
  environment?: { [name: string]: string } | undefined;
  /** If true, the run outputs its first transaction instead of sending it. */
  outputInstructions?: boolean | undefined;
  /** A repeated call with the same key returns the same run, for 24 hours. The key is random by default. */
  idempotencyKey?: string | undefined;
}

/** An execution of a node: columns of `node_run`. */
export type NodeRunRow =
  & Pick<
    Database['public']['Tables']['node_run']['Row'],
    'node_id' | 'times' | 'start_time' | 'end_time' | 'errors' | 'error_handled' | 'is_pinned'
  >
  & { input: { M: ValueMap }; output: { M: ValueMap } | null };

export interface StopOptions extends RequestOptions {
  /** Text for the errors of the cancelled nodes. */
  reason?: string | undefined;
  /** The time that running nodes have to end by themselves, in milliseconds. */
  graceMs?: number | undefined;
}

export interface RedriveOptions extends RequestOptions {
  /**
   * Redrive even if failed nodes may have changed something outside the backend. The new run may repeat such changes.
   */
  acceptUnknown?: boolean | undefined;
  /**
   * The id of another deployment of the flow. The new run uses the graph and settings of this deployment. The execution
   * of a node is taken over only if its data and incoming edges are the same in both deployments.
   */
  deployment?: string | undefined;
  /**
   * Nodes that may have their effects again. Without this, a node that succeeded in the earlier run and has other inputs
   * now fails with `effect_already_done`. Nodes of called flows can be named, too.
   */
  repeatEffects?: readonly NodeOfFlow[] | undefined;
  /** A repeated call with the same key returns the same run, for 24 hours. The key is random by default. */
  idempotencyKey?: string | undefined;
}

/** A node of a flow. */
export interface NodeOfFlow {
  flow: number;
  node: string;
}

export interface SignatureOptions extends RequestOptions {
  /** Milliseconds after which the wait for further requests ends. By default, the wait lasts as long as the run. */
  timeoutMs?: number | undefined;
}

/** An input that a run waits for: a row of `pending_inputs`. */
export type PendingInput =
  & Omit<Database['public']['Tables']['pending_inputs']['Row'], 'owner_id' | 'started_by'>
  & {
    /** True if the caller may answer. */
    may_answer: boolean;
  };

export interface AnswerInputOptions extends RequestOptions {
  /**
   * The idempotency key. A repeated answer with the same key counts as the same answer. The key is random by default,
   * so that the client may retry.
   */
  idempotencyKey?: string | undefined;
  /** The token of the run. With it, a guest answers who has started the run. */
  token?: string | undefined;
}

/** A row of `flow_run`. */
export type RunRow =
  & Omit<Database['public']['Tables']['flow_run']['Row'], 'status' | 'deployment' | 'fees' | 'started_by_email'>
  & {
    status: RunStatus;
    fees: Fees;
  };

/** A schedule to add: the times at which a deployment starts automatically, and its inputs. */
export interface NewSchedule {
  /** Minute, hour, day of month, month and day of week, such as `30 6 * * MON-FRI`. */
  cron: string;
  /** An IANA time zone, such as `Europe/Berlin`; UTC by default. */
  timeZone?: string | undefined;
  /** Plain inputs of each start. Each start converts them by the types of its deployment. */
  values?: PlainValues | undefined;
  /** More inputs of each start, as tagged values. */
  inputs?: ValueMap | undefined;
  /**
   * The policy for planned times that were missed. With `catch_up_one` (the default), the deployment starts once, late.
   * With `skip`, it does not start.
   */
  policy?: 'catch_up_one' | 'skip' | undefined;
}

/** A row of `flow_schedules`. */
export type ScheduleRow = Database['public']['Tables']['flow_schedules']['Row'];

/** How the sender signs the bodies of its requests. */
export interface WebhookHmac {
  /** The header with the signature, such as `X-Shopify-Hmac-Sha256`. */
  header: string;
  /** `sha256` by default. */
  algorithm?: 'sha256' | 'sha1' | undefined;
  /** `hex` by default. */
  encoding?: 'hex' | 'base64' | undefined;
  /** The text before the signature in the header, such as `sha256=`. */
  prefix?: string | undefined;
  /** The header with the id of a delivery. A repeated delivery starts no second run. */
  id_header?: string | undefined;
}

/** The settings of a webhook: the input that it feeds, and the verification of senders. */
export interface NewWebhook {
  /** The input that gets the JSON of each request. */
  input: string;
  /** Request headers to pass to the input. The input then gets `{body, headers}` instead of the JSON alone. */
  headers?: readonly string[] | undefined;
  /**
   * If true, the input gets `{body, headers, query, method}`, with all headers but those of credentials and signatures.
   * `headers` must then be empty.
   */
  whole_request?: boolean | undefined;
  /**
   * If true, a request waits up to 100 s for the run. It gets the answer that the output `response` describes:
   * `{status, headers, body}`, each optional. Without this output it gets the whole output as JSON.
   */
  respond?: boolean | undefined;
  /** How the backend verifies the sender. Without verification, anybody who has the URL may use the webhook. */
  verification?: 'standard_webhooks' | 'github' | 'stripe' | 'hmac' | 'authorization' | undefined;
  /**
   * The secret for `verification`. If the sender makes the secret after the webhook exists, set it with
   * `rpc('set_webhook_verification')`.
   */
  secret?: string | undefined;
  /** If `verification` is `hmac`: the header and the form of the sender's signature. */
  hmac?: WebhookHmac | undefined;
}

/** A row of `connections`. */
export type ConnectionRow = Database['public']['Tables']['connections']['Row'];

/** A connection to store. The members of `secret` depend on `kind`: see the guide to connections. */
export interface NewConnection {
  /** The name, unique for each user. Nodes refer to the connection by this name. */
  name: string;
  kind: 'bearer' | 'basic' | 'header' | 'query' | 'oauth2_client_credentials' | 'oauth2_refresh_token';
  /**
   * The hosts that get the secret. If a host ends in `:port` or `/path`, only that port or path gets the secret. A host
   * without a port means the default port of the scheme.
   */
  hosts: string[];
  /** If `kind` is `header`: the name of the header with the secret. */
  header?: string | undefined;
  /** If `kind` is `query`: the name of the query parameter with the secret. */
  parameter?: string | undefined;
  secret: { [member: string]: string };
}

/** A node definition to store, as `describeOpenApi` makes it. */
export interface DefinitionToStore {
  type: string;
  data: { [member: string]: unknown; node_id: string; version: string; display_name: string };
  sources: readonly { [member: string]: unknown; name: string; type: string }[];
  targets: readonly { [member: string]: unknown; name: string; type_bounds: readonly string[] }[];
  'targets_form.json_schema'?: unknown;
  'targets_form.ui_schema'?: unknown;
  'targets_form.extra'?: unknown;
}

/** A stored node definition of the caller. */
export type StoredDefinition = DefinitionToStore & { id: string; updated_at: string };

/** A row of `flow_webhooks`. */
export type WebhookRow = Database['public']['Tables']['flow_webhooks']['Row'];

/** A row of `flow_row_starts`. */
export type RowStartRow = Database['public']['Tables']['flow_row_starts']['Row'];

/** The row of a new webhook, with its URL. No later answer contains the URL. */
export type CreatedWebhook = Omit<WebhookRow, 'user_id'> & { url: string };

/** A run in a list, without its inputs, output and settings. */
export type RunSummary = Pick<
  RunRow,
  'id' | 'flow_id' | 'deployment_id' | 'status' | 'created_at' | 'start_time' | 'end_time' | 'errors'
>;

/** The runs to list, the newest first. */
export interface RunFilter extends RequestOptions {
  /** The id of a deployment. */
  deployment?: string | undefined;
  /** The id of a flow. */
  flow?: number | undefined;
  /** The id of the schedule that started the runs. */
  schedule?: string | undefined;
  /** The id of the webhook that started the runs. */
  webhook?: string | undefined;
  /** The id of the row start that started the runs. */
  rowStart?: string | undefined;
  /** Only runs in this state. */
  status?: RunStatus | undefined;
  /** The most runs to list: 1 to 1,000, 100 by default. */
  limit?: number | undefined;
  /** Only runs that are older than the run of this id, such as the last run of the previous page. */
  before?: string | undefined;
}

/** A line of a run's log: a row of `flow_run_logs`. */
export type RunLogLine = Omit<Database['public']['Tables']['flow_run_logs']['Row'], 'user_id'>;

export interface LogOptions extends RequestOptions {
  /** The `log_index` after which the lines begin. */
  after?: number | undefined;
  /** True to wait for new lines until the run has ended. */
  follow?: boolean | undefined;
}

export interface EventOptions extends RequestOptions {
  /** The `id` of the last event that the caller already has. By default, the events begin with the first event. */
  lastEventId?: number | undefined;
}

export interface ReadOptions extends RequestOptions {
  /** Read as the unauthenticated caller who has this public key, even if a user is signed in. */
  publicKey?: string | undefined;
}

/** An input of a deployment. */
export interface DeploymentInput {
  /** The name of the input in the values of a start. */
  name: string;
  /**
   * The help text of the input. Without one, the description of the port that gets the input; empty if no port or
   * several ports get it.
   */
  description: string;
  /** The types that all ports with this input accept: `u64`, `pubkey`, `free` and so on. */
  type_bounds: string[];
  /** True if the flow has no default for the input, and a port or the flow requires it. */
  required: boolean;
  /**
   * The flow's default in readable JSON, which is JSON without type tags. Null if there is no default, or if the
   * default has more than 4096 bytes.
   */
  default: unknown;
  /**
   * The JSON Schema for values of the input in readable JSON. If the flow describes the input, the schema has a
   * `description`, and may have `title`, `enum` and `format`.
   */
  json_schema: { [keyword: string]: unknown };
}

/** An output of a deployment, with the type of the port that feeds it. */
export interface DeploymentOutput {
  name: string;
  type: string;
}

/** The addresses that get a fee, each with its lamports for one run. */
export type Fees = [address: string, lamports: bigint][];

/** A deployment, with its inputs and outputs as the deploy froze them. */
export interface DeploymentDescription {
  deployment_id: string;
  flow_id: number;
  name: string;
  description: string;
  /** An https address. */
  icon_url: string | null;
  created_at: string;
  start_permission: 'Owner' | 'Authenticated' | 'Anonymous';
  output_instructions: boolean;
  action_identity: string | null;
  /** The fees that each run pays in addition to the payments of the flow itself. */
  fees: Fees;
  cluster: 'devnet' | 'testnet' | 'mainnet-beta';
  /** True if the flow has nodes of Solana, or the deployment has settings for transactions. */
  uses_solana: boolean;
  /** The number of nodes that a run executes, not counting the nodes of called flows. */
  node_count: number;
  inputs: DeploymentInput[];
  outputs: DeploymentOutput[];
}

/** A deployment with typed inputs and outputs. */
export interface Deployment<Inputs extends object, Outputs extends object> {
  /** Starts the deployment. */
  start(...args: StartArguments<Inputs>): Promise<StartedRun<Outputs>>;
  /** Starts the deployment and waits for the output. */
  run(...args: StartArguments<Inputs>): Promise<Outputs>;
}

/** A flow in the list of flows. */
export interface FlowSummary {
  id: number;
  name: string;
  /** The folder in which the console lists the flow; empty for none. */
  folder: string;
  /** The time of the last change. A move to another folder is no change. */
  updated_at: string;
}

/** A flow as the text of an editor's file. The text has all digits of numbers, which `JSON.parse` may round. */
export interface FlowFile {
  id: number;
  name: string;
  /** JSON with the members `id` and `updated_at`, but without the environment and the network of the flow. */
  text: string;
}

/** A flow to store from its file. */
export interface FlowToPush {
  /** The flow to change. Without an id, a new flow is stored. */
  id?: number;
  /** The time of the flow's last change, as `pullFlow` has read it. */
  updatedAt?: string;
  /** The texts of the members of the file, by their names. */
  members: Readonly<Record<string, string>>;
}

/** A flow as a tool of assistants. */
export interface FlowTool {
  /** 1 to 64 letters, digits, underscores and hyphens. No other flow of the owner may have the name. */
  name: string;
  /** The tag of the deployment that the tool starts; `latest` by default. */
  tag?: string | undefined;
  /** The description for assistants. By default, it is the description or the name of the flow. */
  description?: string | undefined;
}

/** Deploys, starts and reads flows. Every method throws a FlowError. */
export interface FlowClient {
  /** Stores a new flow, or changes the flow with `id`. Returns the flow's id. */
  storeFlow(flow: FlowToStore, options?: RequestOptions & { id?: number | undefined }): Promise<number>;

  /** Lists the flows of the caller. */
  flows(options?: RequestOptions): Promise<FlowSummary[]>;

  /** Reads a flow as the text of an editor's file. Throws `flow_not_found`. */
  pullFlow(id: number, options?: RequestOptions): Promise<FlowFile>;

  /** Stores a flow from its file. Throws `flow_changed` if somebody has saved the flow since it was pulled. */
  pushFlow(flow: FlowToPush, options?: RequestOptions): Promise<{ id: number; updatedAt: string }>;

  /** Freezes a flow into a new deployment and moves `latest` to it. */
  deploy(flow: number, options?: DeployOptions): Promise<DeployFlowResult>;

  /** Gives a deployment a tag, or moves the tag to it. */
  tag(deployment: string, tag: string, options?: RequestOptions): Promise<void>;

  /**
   * Makes a flow a tool that assistants call (MCP), or changes the tool. With null, the flow is no tool any more. Throws
   * `flow_not_found`.
   */
  setTool(flow: number, tool: FlowTool | null, options?: RequestOptions): Promise<void>;

  /** Reads the inputs and outputs of a frozen deployment. The caller must be allowed to start the deployment. */
  read(target: DeploymentTarget, options?: ReadOptions): Promise<DeploymentDescription>;

  /**
   * Starts a deployment with plain values, by the names of its inputs. If no answer comes, the client repeats the
   * request; the idempotency key prevents a second run.
   */
  start<Inputs extends object = PlainValues, Outputs extends object = PlainValues>(
    target: DeploymentTarget,
    ...args: StartArguments<Inputs>
  ): Promise<StartedRun<Outputs>>;

  /** Makes a typed deployment: `client.deployment<Shop>({ flow: 7, tag: 'stable' })`. Sends no request. */
  deployment<Types extends DeploymentTypes>(target: DeploymentTarget): Deployment<Types['inputs'], Types['outputs']>;

  /** Adds a schedule for the caller's own deployment, and returns its row. */
  schedule(target: DeploymentTarget, schedule: NewSchedule, options?: RequestOptions): Promise<ScheduleRow>;

  /** Lists the newest 1,000 of the caller's own schedules, the newest first. */
  schedules(options?: RequestOptions): Promise<ScheduleRow[]>;

  /**
   * Pauses a schedule, or resumes it at its next planned time, and returns its row. Throws `schedule_not_found`, also
   * if the schedule belongs to another user.
   */
  setScheduleActive(id: string, isActive: boolean, options?: RequestOptions): Promise<ScheduleRow>;

  /** Deletes a schedule. Its runs stay. Throws `schedule_not_found`. */
  deleteSchedule(id: string, options?: RequestOptions): Promise<void>;

  /** Makes a URL with which others start the caller's own deployment. */
  createWebhook(target: DeploymentTarget, webhook: NewWebhook, options?: RequestOptions): Promise<CreatedWebhook>;

  /** Lists the newest 1,000 of the caller's own incoming webhooks, the newest first, without their URLs. */
  webhooks(options?: RequestOptions): Promise<WebhookRow[]>;

  /**
   * Stores the caller's connection with its secret, or replaces the connection of the same name. Returns the row, which
   * has no secret. Throws `token_required` for a user who has not signed up.
   */
  upsertConnection(connection: NewConnection, options?: RequestOptions): Promise<ConnectionRow>;

  /**
   * Sends one request to `url` with the caller's connection, and returns the status of the answer. The URL must be on
   * one of the connection's hosts. Throws `connection_not_found` and `connection_test_failed`.
   */
  testConnection(name: string, url: string, options?: RequestOptions): Promise<number>;

  /** Lists the caller's own connections without their secrets, sorted by name. */
  connections(options?: RequestOptions): Promise<ConnectionRow[]>;

  /**
   * Deletes a connection. Throws `connection_not_found`. If tagged deployments use the connection, throws
   * `connection_in_use` with their list.
   */
  deleteConnection(name: string, options?: RequestOptions): Promise<void>;

  /**
   * Reads the text of a document at an address that the project can reach, to make node definitions of it. With
   * `connection`, the request carries the secret of the caller's connection. Throws `document_unreadable`,
   * `connection_not_found`, and `token_required` for a user who has not signed up.
   */
  readDocument(url: string, options?: RequestOptions & { connection?: string | undefined }): Promise<string>;

  /**
   * Lists the tools of the MCP server at an address that the project can reach, to make node definitions of them. With
   * `connection`, the requests carry the secret of the caller's connection. Throws as `readDocument` does.
   */
  readTools(url: string, options?: RequestOptions & { connection?: string | undefined }): Promise<ServerTools>;

  /** Lists the caller's private node definitions, sorted by `node_id` and version. */
  nodeDefinitions(options?: RequestOptions): Promise<StoredDefinition[]>;

  /**
   * Stores private node definitions. A definition replaces the caller's definition with the same `node_id` and version.
   * Deployments keep what they have frozen. Throws `node_definition_invalid` and `quota_exceeded`; then those before
   * the refused hundred are stored.
   */
  storeDefinitions(definitions: readonly DefinitionToStore[], options?: RequestOptions): Promise<void>;

  /**
   * Deletes the caller's node definitions with this `node_id`, in all versions or only in one. Throws
   * `definition_not_found`.
   */
  deleteDefinition(nodeId: string, options?: RequestOptions & { version?: string | undefined }): Promise<void>;

  /** Deletes an incoming webhook, so that its URL stops working. Its runs stay. Throws `webhook_not_found`. */
  deleteWebhook(id: string, options?: RequestOptions): Promise<void>;

  /**
   * Lists the newest 1,000 of the row starts by which changes of tables start the caller's own deployments, the newest
   * first. Only the table's owner can make a row start, with the SQL function `private.start_flow_on_rows`.
   */
  rowStarts(options?: RequestOptions): Promise<RowStartRow[]>;

  /**
   * Pauses or resumes a row start, and returns its row. While it is paused, changes start nothing. Throws
   * `row_start_not_found`, also if the row start belongs to another user.
   */
  setRowStartActive(id: string, isActive: boolean, options?: RequestOptions): Promise<RowStartRow>;

  /** Deletes a row start: changes of the table start nothing from now on. Throws `row_start_not_found`. */
  deleteRowStart(id: string, options?: RequestOptions): Promise<void>;

  /**
   * Waits for the end of a run and returns its output, converted by `fromValue`. For a failed or stopped run it throws
   * `run_failed` or `run_stopped`, with `errors` and `output` in the details.
   */
  output<Outputs extends object = PlainValues>(run: RunReference<Outputs>, options?: OutputOptions): Promise<Outputs>;

  /** Like `output`, but returns tagged values. */
  outputValues(run: RunReference<object>, options?: OutputOptions): Promise<ValueMap>;

  /** Asks a run to stop. A run that has ended is not changed. */
  stop(run: RunReference<object>, options?: StopOptions): Promise<void>;

  /**
   * Redrives a run of the caller's flow: a new run continues where this run failed or was stopped. The new run takes
   * over the succeeded nodes and executes the others. A node with effects that succeeded is executed again only if
   * `repeatEffects` names it. If no answer comes, the client repeats the request; the
   * idempotency key prevents a second redrive. Throws `run_not_ended`, `run_succeeded`, `run_redriven`,
   * `outcome_unknown`, `run_not_redrivable`; with a deployment also `deployment_not_found`, `inputs_invalid`,
   * `redrive_graph_changed`.
   */
  redrive<Outputs extends object = PlainValues>(
    run: RunReference<Outputs>,
    options?: RedriveOptions,
  ): Promise<StartedRun<Outputs>>;

  /**
   * Runs one or several nodes of the caller's flow, and no other nodes. Throws `flow_not_found`, `flow_invalid`,
   * `partial_config_invalid`, `flow_run_not_found`, `run_not_ended`.
   */
  runNode(flow: number, node: string | readonly string[], options?: RunNodeOptions): Promise<StartFlowResult>;

  /** Lists the executions of the nodes of the caller's run, at most 1,000, in the order of their starts. */
  nodeRuns(run: RunReference<object>, options?: RequestOptions & { node?: string | undefined }): Promise<NodeRunRow[]>;

  /** Lists the runs that the caller may see, the newest first. Runs that another run called are not listed. */
  runs(filter?: RunFilter): Promise<RunSummary[]>;

  /** Reads the row of a run. Throws `flow_run_not_found`. */
  run(run: RunReference<object>, options?: RequestOptions): Promise<RunRow>;

  /**
   * Iterates over the lines of a run's log. Only the owner of the flow can read them. With `follow`, it also yields new
   * lines until the run has ended.
   */
  logs(run: RunReference<object>, options?: LogOptions): AsyncGenerator<RunLogLine, void, void>;

  /**
   * Iterates over the events of a run and of its called runs until the run has ended. Each event comes once, and in
   * order. When a connection ends, the client opens another one. If no connection succeeds for about two minutes, the
   * iteration throws the last error. Only the owner of the flow gets values, errors and log lines. Other callers get
   * names and times.
   */
  events(run: RunReference<object>, options?: EventOptions): AsyncGenerator<RunEvent, void, void>;

  /**
   * Iterates over the signature requests of a run until the run has ended. Each request comes once. A run has one open
   * request at a time: answer it, or leave the loop, before you take the next request.
   */
  signatureRequests(
    run: RunReference<object>,
    options?: SignatureOptions,
  ): AsyncGenerator<PendingSignatureRequest, void, void>;

  /**
   * Answers a signature request with a signature: 64 bytes, or their base58. If the wallet has changed the message,
   * pass the signed message as `newMessage`, as bytes or base64.
   */
  submitSignature(
    id: number,
    signature: string | Uint8Array,
    options?: RequestOptions & { newMessage?: string | Uint8Array | undefined },
  ): Promise<void>;

  /**
   * Lists the inputs for which a run and its called runs wait now, the oldest first. Without a run, lists the inputs of
   * all runs that the caller owns or started, and those that the caller is asked to answer, at most 1,000.
   */
  pendingInputs(run?: RunReference<object>, options?: RequestOptions): Promise<PendingInput[]>;

  /**
   * Submits a plain value for a pending input. `url` is the URL of the input, or only the token (`fi_…`) at its end.
   * The token is sent to the client's own project only. Unless everybody who has the URL may answer, the client's user,
   * or the holder of `token`, must be one of those who may. An input accepts one answer.
   * Throws `pending_input_answered`, `pending_input_not_found`.
   */
  submitInput(url: string, value: PlainValue, options?: AnswerInputOptions): Promise<void>;

  /** Cancels a pending input: its node fails. */
  cancelInput(url: string, options?: AnswerInputOptions): Promise<void>;
}
