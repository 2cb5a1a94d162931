import { Anchor, Badge, Code, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { Link } from 'wouter';
import { objectAt } from '../../shared/graph/drawn_node.ts';
import { describeDuration, msBetween } from '../../shared/run/duration.ts';
import { When } from '../../shared/time/when.tsx';
import { ValueView } from '../../shared/value_view.tsx';
import { outcomeOf } from './call_outcome.ts';
import { LongText } from './long_text.tsx';
import { isApproved, type WantedCall } from './read_turns.ts';
import type { AgentStep } from './steps.ts';

/** Says who approved or refused a call, and when. */
function Approval({ approval }: { approval: AgentStep }) {
  const { answered_at, answered_by, errors, end_time } = approval;
  if (end_time === null) return <Text size='sm'>A person has to approve this call.</Text>;
  const word = errors !== null ? 'Cancelled' : isApproved(approval) ? 'Approved' : 'Refused';
  return (
    <>
      {answered_at !== null && (
        <Text size='sm' className='console-text'>
          {word} by {answered_by ?? 'somebody with the link'} <When at={answered_at} />
        </Text>
      )}
      {errors !== null && <LongText text={errors.join('\n')} />}
    </>
  );
}

/** The result of a call, or the reason why it has none. */
function Result({ step, told }: Pick<WantedCall, 'step' | 'told'>) {
  if (step?.errors != null) return <LongText text={step.errors.join('\n')} />;
  const result = objectAt(step?.output, 'M')['result'];
  if (result !== undefined) return <ValueView value={result} />;
  return told === undefined ? null : <LongText text={told.text} />;
}

interface CallViewProps {
  call: WantedCall;
  /** The run of the tool; undefined if there is none. */
  runId: string | undefined;
  hasEnded: boolean;
}

/** A call of a tool: the arguments, the approval, and the result. */
export function CallView({ call, runId, hasEnded }: CallViewProps) {
  const { approval, step } = call;
  const outcome = outcomeOf(call, hasEnded);
  const made = step ?? approval;
  const ms = step && msBetween(step.start_time, step.end_time);
  const hasResult = step?.end_time != null || call.told !== undefined;
  return (
    <Paper component='li' withBorder p='sm'>
      <Stack gap='xs'>
        <Group gap='xs'>
          <Title order={4} size='h6' className='console-text'>{call.name}</Title>
          <Badge variant='light' color={outcome.colour} className='console-status'>{outcome.word}</Badge>
          {ms !== undefined && <Text size='sm' c='dimmed'>{describeDuration(ms)}</Text>}
          {runId !== undefined && (
            <Anchor component={Link} size='sm' href={`/runs/${runId}`} aria-label={`Run of ${call.name}`}>Run</Anchor>
          )}
        </Group>
        <dl className='console-members'>
          <div>
            <dt>Arguments</dt>
            <dd>
              {made === undefined
                ? <Code className='console-text'>{call.arguments}</Code>
                : <ValueView value={objectAt(made.input, 'M')['arguments']} depth={1} />}
            </dd>
          </div>
          {approval !== undefined && (
            <div>
              <dt>Approval</dt>
              <dd>
                <Approval approval={approval} />
              </dd>
            </div>
          )}
          {hasResult && (
            <div>
              <dt>{outcome.word === 'done' ? 'Result' : 'Told the model'}</dt>
              <dd>
                <Result {...call} />
              </dd>
            </div>
          )}
        </dl>
      </Stack>
    </Paper>
  );
}
