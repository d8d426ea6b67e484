-- Adds a command or an answer to the state file of a sandbox.
-- Grain: one row. Parameters: :command, :idempotency_key, :request, :status,
-- :location, :body.

insert into journal (command, idempotency_key, request, status, location, body)
values (:command, :idempotency_key, :request, :status, :location, :body)
