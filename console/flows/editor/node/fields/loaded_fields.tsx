import type { FieldProps } from '@rjsf/utils';
import { type ComponentType, lazy, Suspense } from 'react';
import { Loading } from '../../../../shared/page/loading.tsx';

/** Makes a field that is loaded when a form needs it, because only few nodes have it. */
function loadedField(load: () => Promise<ComponentType<FieldProps>>) {
  const Field = lazy(async () => ({ default: await load() }));
  return (props: FieldProps) => (
    <Suspense fallback={<Loading />}>
      <Field {...props} />
    </Suspense>
  );
}

export const LOADED_FIELDS = {
  connection: loadedField(async () => (await import('../../../../shared/form/connection_field.tsx')).ConnectionField),
  answered_by: loadedField(async () => (await import('../answered_by_field.tsx')).AnsweredByField),
  flow: loadedField(async () => (await import('./flow_field.tsx')).FlowField),
  agent_tools: loadedField(async () => (await import('./agent_tools_field.tsx')).AgentToolsField),
};
