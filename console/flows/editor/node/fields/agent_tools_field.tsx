import { Button, Fieldset, Input, NativeSelect, Stack, Switch, Textarea, TextInput } from '@mantine/core';
import type { FieldProps } from '@rjsf/utils';
import { nodeLimits } from '../../../../../types/limits/nodes.ts';
import { TypedField } from '../../../../shared/form/typed/typed_field.tsx';
import { unreadableOf, type UnreadableTexts } from '../../../../shared/form/unreadable_texts.ts';
import { isObject, type PlainObject } from '../../../../shared/graph/drawn_node.ts';
import { AnsweredBy } from '../answered_by_field.tsx';
import { faultOfName, readTools, toolNameOf, withMembers } from './agent_tools.ts';
import { DescribedToolFields } from './described_tool_fields.tsx';
import { CalledFlow } from './flow_field.tsx';

const KINDS = [
  { value: 'flow', label: 'A flow of yours' },
  { value: 'node', label: 'An operation of an API, a tool of a server, or an account' },
];

const textOf = (value: unknown): string => typeof value === 'string' ? value : '';

interface ToolProps {
  /** The id of the field of all tools. */
  fieldId: string;
  unreadable: UnreadableTexts;
  tools: readonly PlainObject[];
  index: number;
  disabled: boolean;
  onChange: (tools: PlainObject[]) => void;
}

/** The fields of one tool. */
function Tool({ fieldId, unreadable, tools, index, disabled, onChange }: ToolProps) {
  const tool = tools[index]!;
  const change = (members: PlainObject) => onChange(tools.with(index, withMembers(tool, members)));
  const name = textOf(tool.name);
  const needsApproval = tool.needs_approval === true;
  const isNode = tool.node !== undefined && tool.node !== null;
  return (
    <Fieldset legend={`Tool ${index + 1}`}>
      <Stack gap='xs'>
        <NativeSelect
          label='The tool is'
          data={KINDS}
          value={isNode ? 'node' : 'flow'}
          disabled={disabled}
          onChange={({ currentTarget }) =>
            change({ flow: undefined, node: currentTarget.value === 'node' ? {} : undefined })}
        />
        {isNode
          ? (
            <DescribedToolFields
              idPrefix={`${fieldId}-${index}`}
              node={isObject(tool.node) ? tool.node : {}}
              disabled={disabled}
              unreadable={unreadable}
              onChange={(node, title = '') => change({ node, name: name || toolNameOf(title) })}
            />
          )
          : (
            <CalledFlow
              value={tool.flow}
              disabled={disabled}
              onChange={(flow, title) => change({ flow, name: name || toolNameOf(title) })}
            />
          )}
        <TextInput
          label='Name for the model'
          required
          autoComplete='off'
          spellCheck={false}
          value={name}
          error={faultOfName(tools, index)}
          disabled={disabled}
          onChange={({ currentTarget }) => change({ name: currentTarget.value })}
        />
        <Textarea
          label='Description for the model'
          description='When to call the tool, and what it does.'
          autosize
          maxLength={nodeLimits.agent_description_characters.value}
          value={textOf(tool.description)}
          disabled={disabled}
          onChange={({ currentTarget }) => change({ description: currentTarget.value })}
        />
        <Switch
          label='Needs approval'
          description='A person is asked before each call.'
          checked={needsApproval}
          disabled={disabled}
          onChange={({ currentTarget }) => change({ needs_approval: currentTarget.checked })}
        />
        {needsApproval && (
          <AnsweredBy
            label='Who may approve'
            value={tool.answered_by}
            without='owner'
            disabled={disabled}
            onChange={(answered_by) => change({ answered_by })}
          />
        )}
        <Button
          variant='default'
          size='compact-xs'
          w='fit-content'
          aria-label={`Remove tool ${index + 1}`}
          disabled={disabled}
          onClick={() => onChange(tools.toSpliced(index, 1))}
        >
          Remove
        </Button>
      </Stack>
    </Fieldset>
  );
}

/** The tools of an agent. A value that is no list of objects has the field for any JSON. */
export function AgentToolsField(props: FieldProps) {
  const { formData, onChange, schema, name, fieldPathId, disabled, readonly, registry } = props;
  const tools = readTools(formData);
  if (tools === undefined) return <TypedField {...props} />;
  const isDisabled = disabled === true || readonly === true;
  const label = schema.title ?? name;
  const change = (changed: PlainObject[]) => onChange(changed, fieldPathId.path);
  return (
    <Input.Wrapper label={label} labelElement='div' description={schema.description} role='group' aria-label={label}>
      <Stack gap='xs' mt={4}>
        {/* Tools have no other identity than their place. */}
        {tools.map((_, index) => (
          <Tool
            key={index}
            fieldId={fieldPathId.$id}
            unreadable={unreadableOf(registry)}
            tools={tools}
            index={index}
            disabled={isDisabled}
            onChange={change}
          />
        ))}
        <Button
          variant='default'
          size='compact-xs'
          w='fit-content'
          disabled={isDisabled || tools.length >= nodeLimits.agent_tools.value}
          onClick={() =>
            change([...tools, {}])}
        >
          Add a tool
        </Button>
      </Stack>
    </Input.Wrapper>
  );
}
