import { Group, Select, TextInput } from '@mantine/core';
import { useSearchParams } from 'wouter';
import { MAX_SEARCH_LENGTH } from '../shared/definition_search.ts';
import { useFolders } from './folders.ts';

/** Returns the folder that the list shows, and a function that chooses another one; null for all flows. */
export function useChosenFolder(): [folder: string | null, choose: (folder: string | null) => void] {
  const [parameters, setParameters] = useSearchParams();
  const choose = (folder: string | null) =>
    setParameters((old) => {
      const changed = new URLSearchParams(old);
      changed.delete('page');
      if (folder === null) changed.delete('folder');
      else changed.set('folder', folder);
      return changed;
    });
  return [parameters.get('folder'), choose];
}

interface FlowFilterProps {
  text: string;
  setText: (text: string) => void;
}

/** The fields above the list of flows: a text in the name, and a folder if there are folders. */
export function FlowFilter({ text, setText }: FlowFilterProps) {
  const folders = useFolders();
  const [folder, choose] = useChosenFolder();
  const offered = folder === null || folders.includes(folder) ? folders : [...folders, folder];
  return (
    <Group align='flex-end'>
      <TextInput
        type='search'
        label='Find a flow'
        maxLength={MAX_SEARCH_LENGTH}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        w='24rem'
        maw='100%'
      />
      {offered.length > 0 && (
        <Select
          label='Folder'
          placeholder='All flows'
          data={offered}
          value={folder}
          clearable
          clearButtonProps={{ 'aria-label': 'Show all flows' }}
          onChange={choose}
        />
      )}
    </Group>
  );
}
