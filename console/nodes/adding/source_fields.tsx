import {
  Autocomplete,
  Button,
  FileInput,
  Group,
  SegmentedControl,
  SimpleGrid,
  Stack,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { definitionLimits } from '../../../types/limits/definitions.ts';
import { type Api, useApi } from '../../shared/api.tsx';
import { sourceKind, type SourceKindName } from './kinds.ts';

const PLACES = [{ label: 'Address', value: 'address' }, { label: 'File', value: 'file' }, {
  label: 'Text',
  value: 'text',
}];
/** The most names of connections that are offered. Others can be typed. */
const OFFERED = 200;

/** Reads a description: the text of a document, or a list of tools. */
export type ReadDescription = (api: Api, signal: AbortSignal) => Promise<unknown>;

async function readFile(file: File): Promise<string> {
  if (file.size > definitionLimits.document_bytes.value) throw new Error('The file has more than 16 MiB.');
  return await file.text();
}

function ConnectionInput({ value, onChange }: { value: string; onChange: (name: string) => void }) {
  const { db } = useApi();
  const { data: names = [] } = useQuery({
    queryKey: ['connections', 'names'],
    queryFn: async ({ signal }) => {
      const { data } = await db.from('connections').select('name').order('name').limit(OFFERED).abortSignal(signal)
        .throwOnError();
      return data.map((row) => row.name);
    },
  });
  return (
    <Autocomplete
      label='Connection'
      description='If the server wants a secret'
      data={names}
      value={value}
      onChange={onChange}
    />
  );
}

interface SourceFieldsProps {
  kind: SourceKindName;
  isReading: boolean;
  onRead: (read: ReadDescription) => void;
}

/** The fields in which the user names a description: an address, a file or the text itself. */
export function SourceFields({ kind, isReading, onRead }: SourceFieldsProps) {
  const [chosenPlace, setPlace] = useState('address');
  const [address, setAddress] = useState('');
  const [connection, setConnection] = useState('');
  const [file, setFile] = useState<File | null>(null);
  const [text, setText] = useState('');
  const source = sourceKind(kind);
  const place = source.text === undefined ? 'address' : chosenPlace;
  const isFilled = place === 'address' ? address !== '' : place === 'file' ? file !== null : text !== '';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (place === 'file' && file !== null) onRead(async () => await readFile(file));
    else if (place === 'text') onRead(async () => text);
    else {
      onRead(async ({ flows }, signal) =>
        await source.read(flows, address.trim(), { connection: connection === '' ? undefined : connection, signal })
      );
    }
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        {source.text !== undefined && (
          <SegmentedControl aria-label='Where the document is' data={PLACES} value={place} onChange={setPlace} />
        )}
        {place === 'address' && (
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <TextInput
              type='url'
              label='Address'
              description={source.address}
              placeholder={source.placeholder}
              required
              value={address}
              onChange={(event) => setAddress(event.currentTarget.value)}
            />
            <ConnectionInput value={connection} onChange={setConnection} />
          </SimpleGrid>
        )}
        {place === 'file' && (
          <FileInput
            label='File'
            description={source.text?.hint}
            placeholder='Choose a file'
            accept={source.text?.accept}
            required
            value={file}
            onChange={setFile}
          />
        )}
        {place === 'text' && (
          <Textarea
            label='Text'
            description={source.text?.hint}
            required
            rows={12}
            spellCheck={false}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
        )}
        <Group>
          <Button type='submit' loading={isReading} disabled={!isFilled}>Show the nodes</Button>
        </Group>
      </Stack>
    </form>
  );
}
