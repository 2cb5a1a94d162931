import { DEPLOYMENT_ID, TIME } from '../examples.ts';
import { ref } from '../schemas/json_schema.ts';
import { type Operation, rpc } from './operation.ts';

const tag = 'Deployments';

const version = {
  id: 12,
  name: 'Before the new price',
  saved_at: TIME,
  created_at: TIME,
  bytes: 4_096,
  is_current: false,
  deployment_id: DEPLOYMENT_ID,
  tags: ['stable'],
};

/** Operations for programs that edit flows: problems of a flow that is not saved, and the history of a saved flow. */
export const flowOperations: Operation[] = [
  rpc('check_flow', {
    tag,
    summary: 'Lists the problems of a flow, saved or not',
    description:
      'Returns the findings that would prevent a deploy, or, if there are none, the warnings. Stores nothing. Does not parse scripts and expressions. ' +
      'A user may check two flows a second, one at a time.',
    examples: {
      'not saved': { flow: { nodes: [], edges: [], environment: {}, id: 7 } },
      saved: { flow_id: 7 },
    },
    answers: {
      200: {
        description: 'The problems.',
        schema: ref('FlowProblems'),
        example: {
          problems: [{
            code: 'flow_empty',
            path: 'nodes',
            message: 'the flow has no nodes, so its runs do nothing',
            severity: 'warning',
          }],
          is_complete: true,
        },
      },
    },
    errors: ['request_invalid', 'flow_not_found', 'body_too_large', 'too_many_requests'],
  }),
  rpc('flow_history', {
    tag,
    summary: 'Lists the versions of a flow',
    description: 'The newest contents first. Read the contents of a version from `flow_versions`. For the owner only.',
    examples: { flow: { flow_id: 7 } },
    answers: { 200: { description: 'The versions.', schema: ref('FlowHistory'), example: [version] } },
    errors: ['flow_not_found'],
  }),
  rpc('keep_flow_version', {
    tag,
    summary: 'Keeps the saved contents of a flow as a version',
    description:
      'Returns the id of the version. If a version has the same contents, that version gets the name. For the owner only. ' +
      'To rename a version, change `name` of its row in `flow_versions`; to delete it, delete the row.',
    examples: { named: { flow_id: 7, name: 'Before the new price' } },
    answers: { 200: { description: 'The id of the version.', schema: { type: 'integer' }, example: 12 } },
    errors: ['column_invalid', 'flow_not_found', 'quota_exceeded'],
  }),
  rpc('restore_flow_version', {
    tag,
    summary: 'Saves a version as the contents of its flow',
    description:
      'Keeps the present contents as a version first. Name, description and sharing of the flow stay as they are. For the owner only.',
    examples: { unchanged: { id: 12, updated_at: TIME } },
    answers: {
      200: {
        description: 'The flow is saved.',
        schema: ref('RestoredFlowVersion'),
        example: { updated_at: TIME, kept_version_id: 13 },
      },
    },
    errors: ['flow_version_not_found', 'flow_changed', 'quota_exceeded'],
  }),
];
