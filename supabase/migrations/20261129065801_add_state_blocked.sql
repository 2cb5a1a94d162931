-- A transaction can't use a value that it has added to an enum, so this is a migration of its own.
ALTER TYPE "private"."job_state" ADD VALUE 'blocked' BEFORE 'ended';
