import { Anchor, Badge, Text } from '@mantine/core';
import type { RunLogLine } from 'flow-deployments-client';
import { useApi } from '../shared/api.tsx';
import { timeOfDay, useDateFormat } from '../shared/time/dates.ts';
import { type Column, PagedTable } from '../shared/page/paged_table.tsx';
import { usePagedRows } from '../shared/page/use_paged_rows.ts';
import { Section } from '../shared/page/section.tsx';
import { runKey } from '../shared/use_run_events.ts';

const COLOURS: Record<string, string> = { Warn: 'yellow', Error: 'red', Info: 'blue' };

interface RunLogProps {
  runId: string;
  isLive: boolean;
  titles: ReadonlyMap<string, string>;
  onSelect: (nodeId: string) => void;
}

type Line = Pick<RunLogLine, 'log_index' | 'time' | 'log_level' | 'content' | 'node_id' | 'times'>;

/** The log of the run and its nodes, in order. */
export function RunLog({ runId, isLive, titles, onSelect }: RunLogProps) {
  const { db } = useApi();
  const format = useDateFormat();
  const list = usePagedRows<Line>({
    queryKey: [...runKey(runId), 'log', { isLive }],
    parameter: 'log',
    read: async (from, to, signal) => {
      const { data } = await db.from('flow_run_logs').select('log_index, time, log_level, content, node_id, times')
        .eq('flow_run_id', runId).order('log_index').range(from, to).abortSignal(signal).throwOnError();
      return data;
    },
  });
  const columns: Column<Line>[] = [
    {
      header: 'Time',
      cell: ({ time }) => <time dateTime={time} title={time}>{timeOfDay(new Date(time), format)}</time>,
    },
    {
      header: 'Level',
      cell: ({ log_level }) => (
        <Badge variant='light' color={COLOURS[log_level] ?? 'gray'} className='console-status' miw='max-content'>
          {log_level}
        </Badge>
      ),
    },
    {
      header: 'Node',
      cell: ({ node_id, times }) =>
        node_id === null
          ? <Text span size='sm' c='dimmed'>the run</Text>
          : (
            <Anchor component='button' type='button' size='sm' ta='left' miw='6rem' onClick={() => onSelect(node_id)}>
              {titles.get(node_id) ?? node_id}
              {(times ?? 0) > 0 && ` #${times}`}
            </Anchor>
          ),
    },
    { header: 'Text', cell: ({ content }) => <Text size='sm' className='console-text'>{content}</Text> },
  ];
  return (
    <Section title='Log'>
      <PagedTable
        label='log lines'
        columns={columns}
        rowKey={({ log_index }) => log_index}
        list={list}
        empty={<Text size='sm' c='dimmed'>{isLive ? 'Nothing was logged yet.' : 'Nothing was logged.'}</Text>}
      />
    </Section>
  );
}
