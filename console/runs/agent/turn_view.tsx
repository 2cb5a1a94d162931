import { Group, Stack, Text, Title } from '@mantine/core';
import { ErrorAlert } from '../../shared/errors/error_alert.tsx';
import { splitCode } from '../../shared/errors/run_error.ts';
import { describeDuration, msBetween } from '../../shared/run/duration.ts';
import { CallView } from './call_view.tsx';
import { LongText } from './long_text.tsx';
import type { Turn } from './read_turns.ts';
import { type AgentRun, stepKey } from './use_agent_run.ts';
import { describeTokens } from './usage_words.ts';

/** The reasons for the end of an answer that need no mention. */
const ORDINARY = ['', 'stop', 'tool_calls'];

/** Describes a call of the model in one line. */
function describeTurn({ step, usage, finishReason }: Turn): string {
  const ms = msBetween(step.start_time, step.end_time);
  return [
    ms === undefined ? [] : describeDuration(ms),
    usage === undefined ? [] : describeTokens(usage),
    step.attempt > 1 ? `attempt ${step.attempt}` : [],
    step.is_taken_over ? 'taken over from the run that this run redrives' : [],
    ORDINARY.includes(finishReason) ? [] : `ended by ${finishReason}`,
  ].flat().join(', ');
}

interface TurnViewProps {
  turn: Turn;
  isFirst: boolean;
  runsOfTools: AgentRun['runsOfTools'];
  hasEnded: boolean;
}

/** A call of the model: what it was told by the flow, its answer, and the calls of tools that the answer wanted. */
export function TurnView({ turn, isFirst, runsOfTools, hasEnded }: TurnViewProps) {
  const { step, prompts, text, calls } = turn;
  const isOpen = step.end_time === null;
  return (
    <>
      {prompts.map((prompt, index) => (
        <li key={index} data-role='user'>
          <Title order={3} size='h6'>{isFirst ? 'Input' : 'Told the model'}</Title>
          <LongText text={prompt} />
        </li>
      ))}
      <li data-role='model'>
        <Stack gap='xs'>
          <Group gap='xs'>
            <Title order={3} size='h6'>Model</Title>
            <Text size='sm' c='dimmed' className='console-text'>{describeTurn(turn)}</Text>
          </Group>
          {isOpen && <Text size='sm' c='dimmed'>{hasEnded ? 'It was stopped.' : 'It is answering.'}</Text>}
          {(step.errors ?? []).map((line, index) => <ErrorAlert key={index} error={splitCode(line)} />)}
          {text !== '' && <LongText text={text} />}
          {calls.length > 0 && (
            <ul className='runs-calls' aria-label='Calls of tools'>
              {calls.map((call, index) => (
                <CallView
                  key={index}
                  call={call}
                  runId={call.step && runsOfTools.get(stepKey(call.step.node_id, call.step.times))}
                  hasEnded={hasEnded}
                />
              ))}
            </ul>
          )}
        </Stack>
      </li>
    </>
  );
}
