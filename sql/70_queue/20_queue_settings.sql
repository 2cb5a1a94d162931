create table private.queue_settings (
  id boolean primary key default true,
  max_length integer not null,
  constraint queue_settings_single check (id),
  constraint queue_settings_max_length_natural check (max_length >= 0)
);
comment on table private.queue_settings is 'What operators set of the queue, in one row; without it the defaults of private.max_queue_length() hold.';
comment on column private.queue_settings.max_length is 'With so many runs there to be claimed, others than the owner start none.';

-- Sequences, since what is noted in them stays when the start that noted it is refused, and takes no lock.
create sequence private.queue_check_message minvalue 0;
comment on sequence private.queue_check_message is 'The message from which on the queue is counted again: until then it is not full.';
create sequence private.queue_full_until minvalue 0;
comment on sequence private.queue_full_until is 'Milliseconds since 1970 until which a queue that was found full is not counted again; 0 while there is room.';
