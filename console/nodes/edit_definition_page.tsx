import { useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'wouter';
import { useApi } from '../shared/api.tsx';
import { ErrorAlert } from '../shared/errors/error_alert.tsx';
import { Loading } from '../shared/page/loading.tsx';
import { NotFoundPage } from '../shared/page/not_found_page.tsx';
import { Page } from '../shared/page/page.tsx';
import { definitionOf, definitionQuery } from './definition.ts';
import { DefinitionEditor } from './definition_editor.tsx';

/** The initial text of a new definition, with all required members. */
const EXAMPLE = {
  type: 'native',
  data: { node_id: 'my_node', version: '0.1', display_name: 'My node', description: 'Says what it does.', tags: [] },
  sources: [{ name: 'result', type: 'string', optional: false, tooltip: '' }],
  targets: [{ name: 'text', type_bounds: ['string'], required: true, passthrough: false, tooltip: '' }],
  'targets_form.json_schema': { type: 'object', properties: { text: { title: 'text', type: 'string' } } },
  'targets_form.ui_schema': {},
};

/** A page that edits a definition of the user, or makes a new one. A new definition may begin as a copy of another. */
export default function EditDefinitionPage({ id }: { id?: string }) {
  const api = useApi();
  const [parameters] = useSearchParams();
  const source = id ?? parameters.get('from');
  const { data: row, error, isLoading } = useQuery({ ...definitionQuery(api, source ?? ''), enabled: source !== null });
  if (isLoading) return <Loading />;
  if (source !== null && row === null) return <NotFoundPage what='node definition' />;
  return (
    <Page
      title={id === undefined ? 'New definition' : 'Edit definition'}
      parents={[{ title: 'Nodes', href: '/nodes' }]}
      description='Only you see your definitions. If the project lets you publish, everybody sees them. A definition with the same node_id and version replaces the former one.'
    >
      <ErrorAlert error={error} />
      {(source === null || row) && (
        <DefinitionEditor
          key={source}
          initial={JSON.stringify(row ? definitionOf(row) : EXAMPLE, undefined, 2)}
          id={id}
        />
      )}
    </Page>
  );
}
