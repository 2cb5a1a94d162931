import { Button, Modal, Stack, Text } from '@mantine/core';
import { ErrorAlert } from '../../shared/errors/error_alert.tsx';
import type { Saving } from './use_saving.ts';

/** Reports that somebody else has saved the flow, and asks what happens to the user's own changes. */
export const ConflictDialog = ({ saving }: { saving: Saving }) => (
  <Modal opened={saving.isConflict} onClose={saving.keepEditing} title='Somebody else has saved this flow'>
    <Stack>
      <Text role='alert'>
        The flow was changed after you opened it, so your changes were not saved. They are still in the editor.
      </Text>
      <ErrorAlert error={saving.error} />
      <Button
        loading={saving.isPending}
        onClick={() =>
          void saving.saveCopy()}
      >
        Save mine as a copy
      </Button>
      <Button variant='default' onClick={saving.keepEditing}>Keep editing</Button>
      <Button
        variant='default'
        onClick={() =>
          void saving.discard()}
      >
        Discard mine and load theirs
      </Button>
      <Button
        variant='default'
        color='red'
        loading={saving.isPending}
        onClick={() =>
          void saving.overwrite()}
      >
        Overwrite theirs
      </Button>
    </Stack>
  </Modal>
);
