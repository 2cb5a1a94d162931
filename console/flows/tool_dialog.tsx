import { Code, Group, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi } from '../shared/api.tsx';
import { CopyIcon } from '../shared/copy_icon.tsx';
import { FormDialog } from '../shared/dialogs/form_dialog.tsx';
import { useFault } from '../shared/errors/field_faults.tsx';
import { DocsLink } from '../shared/docs_link.tsx';
import { flowLimits } from '../../types/limits/flows.ts';

/** The columns of a flow that make it a tool of assistants. */
export interface ToolSettings {
  tool_name: string | null;
  tool_tag: string;
  tool_description: string;
}

/** The configuration that most assistants read. The key is a placeholder, because nobody can read a key again. */
const configurationOf = (url: string): string =>
  JSON.stringify(
    { mcpServers: { flows: { type: 'http', url, headers: { 'x-api-key': 'fk_…' } } } },
    undefined,
    2,
  );

function Configuration() {
  const { config } = useApi();
  const text = configurationOf(`${config.url}/functions/v1/mcp`);
  return (
    <Stack gap={2}>
      <Group justify='space-between'>
        <Text size='sm' fw={600}>Configuration of an assistant</Text>
        <CopyIcon label='Configuration of an assistant' value={text} />
      </Group>
      <Code block tabIndex={0}>{text}</Code>
      <Text size='sm' c='dimmed'>
        Replace the key by an API key from the settings.{' '}
        <DocsLink to='guides/flows_in_an_assistant.md'>Your flows in an assistant</DocsLink>
      </Text>
    </Stack>
  );
}

/** The settings of the tool, in the form. Without a name, the flow is no tool. */
interface ToolDraft {
  name: string;
  tag: string;
  description: string;
}

function ToolFields({ tool, change }: { tool: ToolDraft; change: (changed: Partial<ToolDraft>) => void }) {
  const fault = useFault();
  return (
    <>
      <TextInput
        label='Name for assistants'
        description='Letters, digits, _ and -. Without a name, the flow is no tool.'
        maxLength={flowLimits.tool_name_characters.value}
        error={fault('tool_name')}
        value={tool.name}
        data-autofocus
        onChange={(event) => change({ name: event.currentTarget.value })}
      />
      <TextInput
        label='Tag'
        description='The tool starts the deployment with this tag.'
        required
        error={fault('tool_tag')}
        value={tool.tag}
        onChange={(event) => change({ tag: event.currentTarget.value })}
      />
      <Textarea
        label='Description for assistants'
        description='When to use the tool. Without a text, it is the description or the name of the flow.'
        autosize
        maxLength={flowLimits.tool_description_characters.value}
        error={fault('tool_description')}
        value={tool.description}
        onChange={(event) => change({ description: event.currentTarget.value })}
      />
    </>
  );
}

/** A button that opens the settings with which assistants call a flow. */
export function ToolDialog({ id, title, stored }: { id: number; title: string; stored: ToolSettings }) {
  const { flows } = useApi();
  const queries = useQueryClient();
  const [tool, setTool] = useState<ToolDraft>({ name: '', tag: '', description: '' });
  const load = () =>
    setTool({ name: stored.tool_name ?? '', tag: stored.tool_tag, description: stored.tool_description });
  const save = async () => {
    await flows.setTool(id, tool.name === '' ? null : tool);
    await queries.invalidateQueries({ queryKey: ['flows', 'list'] });
  };
  return (
    <FormDialog size='xs' px='xs' label='Tool' title={`Tool of ${title}`} save={save} onOpen={load}>
      <ToolFields tool={tool} change={(changed) => setTool({ ...tool, ...changed })} />
      <Configuration />
    </FormDialog>
  );
}
