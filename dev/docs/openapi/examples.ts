/** The objects in the document's examples: one flow, its deployment, a run of it, and their parts. */
export const PUBLIC_KEY = 'da18mgixFBWYWT1xx4YoiGBpa24ZHhKZ3ETLeDpf8Bs';
export const USER_ID = '7b1f2d2c-9a5e-4d0e-8a37-5d1c1d0b3f64';
export const DEPLOYMENT_ID = '019aa645-6c00-7c3e-8b5e-0d2f4a8e9b11';
export const FLOW_RUN_ID = '019aa645-8d3c-7a10-9f27-61c2f0a4d7e5';
const RUN_TOKEN = 'fr_AZqmRY08ehCfJ2HC8KTX5T3yq0c1v8mJm2n5l7wQ0aTt4eY9xUuBkR6sZp1iHdGo';
export const REQUEST_ID = 4_611_686_018_427;
export const SIGNATURE = '4M5txFZz3Ud1NCBPdWxLF1VT23mFWVMaeZXZiQeuCg7d3rM79j5ppJmr24PCHuQVsKm3Eqeu7rJ512Vzo7WfQQ1t';
export const TIME = '2026-11-21T13:17:36.123456+00:00';

export const inputs = { order: { U: '1042' }, note: { S: 'first' } };
export const output = { M: { order: { U: '1042' } } };
/** An event as a watcher of a run receives it. */
export const runEvent = {
  id: 2,
  event: 'node_start',
  data: {
    flow_run_id: FLOW_RUN_ID,
    called_by: null,
    time: '2026-11-23T07:00:00.123+00:00',
    node_id: '5b4f6b0a-2c0d-4c8e-9a55-0d9b9a3f1e77',
    times: 0,
    name: 'Transfer SOL',
  },
};
export const started = { flow_run_id: FLOW_RUN_ID, token: RUN_TOKEN };
export const partialConfig = {
  only_nodes: ['01930000-0000-7000-8000-0000000000c1'],
  values_config: { default_run_id: FLOW_RUN_ID, inline: { '01930000-0000-7000-8000-0000000000c1': inputs } },
};
export const warning = {
  flow_id: 7,
  code: 'edge_target_handle_unknown',
  path: 'edges[3].targetHandle',
  message: 'no port has this id, so the edge is left out',
};
export const description = {
  deployment_id: DEPLOYMENT_ID,
  flow_id: 7,
  name: 'Pay the shop',
  description: 'Sends the price of an order.',
  icon_url: 'https://shop.example/icon.png',
  created_at: TIME,
  start_permission: 'Anonymous',
  output_instructions: true,
  action_identity: PUBLIC_KEY,
  fees: [[PUBLIC_KEY, 5_000]],
  cluster: 'devnet',
  uses_solana: true,
  node_count: 3,
  inputs: [
    {
      name: 'buyer',
      description: 'The wallet that sends the SOL',
      type_bounds: ['keypair'],
      required: true,
      default: null,
      json_schema: { type: 'string', pattern: '^[1-9A-HJ-NP-Za-km-z]{32,88}$' },
    },
    { name: 'note', description: '', type_bounds: ['free'], required: false, default: 'thanks', json_schema: {} },
  ],
  outputs: [{ name: 'signature', type: 'signature' }],
};
export const WEBHOOK_ID = '019aa645-7a44-7d0b-8c1f-5b6e7f809a1c';
export const WEBHOOK_TOKEN = 'fh_3mJx0QaT7bVw2kLr9sYdEhUo5pNfGiZcMx1Rt6WqB8A';
export const webhook = {
  id: WEBHOOK_ID,
  prefix: 'fh_3mJx0Qa',
  flow: 7,
  tag: 'stable',
  deployment_id: null,
  input: 'push',
  headers: ['x-github-event'],
  verification: 'github',
  hmac: null,
  whole_request: false,
  respond: false,
  is_active: true,
  last_start_at: null,
  last_flow_run_id: null,
  last_error: null,
  created_at: TIME,
  updated_at: TIME,
};
export const schedule = {
  id: '019aa645-7b91-7f3a-9e2d-6c7f8091ab2d',
  user_id: USER_ID,
  flow: 7,
  tag: 'latest',
  deployment_id: null,
  cron: '30 6 * * MON-FRI',
  time_zone: 'Europe/Berlin',
  inputs,
  values: {},
  policy: 'catch_up_one',
  is_active: true,
  next_start_at: '2026-11-23T05:30:00+00:00',
  last_start_at: null,
  last_flow_run_id: null,
  last_error: null,
  created_at: TIME,
  updated_at: TIME,
};
export const graph = {
  deployment_id: DEPLOYMENT_ID,
  flow_id: 7,
  flows: {
    7: {
      nodes: [{
        id: '4f1c2a58-5a0e-4c39-9a53-0a0f6f3f7b21',
        position: { x: 120, y: 80 },
        data: { type: 'native', node_id: 'note', sources: [], targets: [], targets_form: { form_data: {} } },
      }],
      edges: [],
      environment: {},
      instructions_bundling: 'Off',
    },
  },
};
export const wallet = {
  id: 3,
  user_id: USER_ID,
  type: 'HARDCODED',
  name: 'signer',
  public_key: PUBLIC_KEY,
  created_at: TIME,
  updated_at: TIME,
};
export const connection = {
  id: '019aa645-8d4f-7b21-8c33-2f9e0a6b5d15',
  user_id: USER_ID,
  name: 'mail',
  kind: 'bearer',
  hosts: ['api.example.com/v1'],
  header: null,
  parameter: null,
  created_at: TIME,
  updated_at: TIME,
  last_used_at: null,
  last_tested_at: null,
  last_test_status: null,
};
export const calledRun = {
  id: '019aa645-8d4f-7b21-8c33-2f9e0a6b5d14',
  status: 'succeeded',
  created_at: TIME,
  start_time: TIME,
  end_time: TIME,
  parent_flow_run_id: FLOW_RUN_ID,
  parent_node_id: '4f1c2a58-5a0e-4c39-9a53-0a0f6f3f7b21',
  parent_times: 0,
};
export const ACTION_PATH = '/action/{deployment_id}';
const actionView = {
  icon: 'https://example.supabase.co/functions/v1/action/icon.svg',
  title: 'The shop',
  description: 'Pay 0.01 SOL to the shop.',
};
export const action = {
  type: 'action',
  ...actionView,
  label: 'Review and sign',
  links: {
    actions: [{
      type: 'transaction',
      href: `/functions/v1/action/${DEPLOYMENT_ID}?order={order}`,
      label: 'Review and sign',
      parameters: [{ type: 'text', name: 'order', label: 'order', required: true }],
    }],
  },
};
export const actionTransaction = {
  type: 'transaction',
  transaction:
    'AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABAAABCV45ls+l9lbaVpDNquEejXlo8VLErkvfwEde4s1X7JIBBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHAA==',
  message: 'Thank you',
  links: { next: { type: 'post', href: `/functions/v1/action/sent?token=${RUN_TOKEN}` } },
};
export const completedAction = { type: 'completed', ...actionView, label: 'Done' };
export const pendingRequest = {
  id: REQUEST_ID,
  kind: 'transaction_message',
  time: 1_795_267_056_123,
  pubkey: PUBLIC_KEY,
  message:
    'gAEAAgMJXjmWz6X2VtpWkM2q4R6NeWjxUsSuS9/AR17izVfskgMGRm/lIRcy/+ytunLDm+e8jOW7xfcSayxDmzpAAAAABUpTWpkpIQZNJOhxYNo4fHw1td28kruB5B+oQEEFRI0HBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwIBAAkDZAAAAAAAAAACAAVoZWxsbwA=',
  timeout: 180,
  flow_run_id: FLOW_RUN_ID,
  signatures: null,
};
export const definition = {
  type: 'native',
  data: { node_id: 'add', version: '0.1', display_name: 'Add', description: 'Adds two numbers.' },
  sources: [{ name: 'sum', type: 'decimal' }],
  targets: [
    { name: 'a', type_bounds: ['decimal'], required: true },
    { name: 'b', type_bounds: ['decimal'], required: true },
  ],
};
export const node = {
  id: '5e0c4c0f-8e0a-4a52-9d8b-3f6f1f0a7c21',
  user_id: USER_ID,
  is_public: false,
  owner_key: USER_ID,
  node_id: 'add',
  version: '0.1',
  ...definition,
  'targets_form.json_schema': null,
  'targets_form.ui_schema': null,
  'targets_form.extra': null,
  created_at: TIME,
  updated_at: TIME,
};
