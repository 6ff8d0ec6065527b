-- Purpose: counts what addresses and sessions do, over all nodes: at most so many in a window, spread
--   evenly after a first burst (GCRA, as in accounts/rate-limit.ts). Under each key is one number: the
--   moment in ms, by this server's clock, at which the whole burst is available again. The key expires
--   then.
-- KEYS: one for each entry, all in one slot; a key may come several times.
-- ARGV: of each entry: what, ms that one counts for, ms of the burst, how many, ms that a key can be ahead
--   at most. take: counts one, unless that is too many. give_back: what was taken did not count. add:
--   counts so many that have happened already.
-- Returns: for each entry the ms to wait until one would be allowed; 0: it is. What is refused does not
--   count.
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local waits = {}
for index, key in ipairs(KEYS) do
  local first = (index - 1) * 5
  local what, each, burst = ARGV[first + 1], tonumber(ARGV[first + 2]), tonumber(ARGV[first + 3])
  local count, most = tonumber(ARGV[first + 4]), tonumber(ARGV[first + 5])
  -- Under our key may be something that is not ours, or of a clock that was ahead.
  local value = redis.pcall('GET', key)
  local free_at = type(value) == 'string' and tonumber(value) or now
  if free_at ~= free_at or free_at < now then free_at = now end
  if free_at > now + most then free_at = now + most end
  local before = free_at
  local wait = 0
  if what == 'take' then
    if free_at - now > burst then wait = free_at - now - burst else free_at = free_at + each end
  elseif what == 'give_back' then
    free_at = free_at - each
  else
    free_at = math.min(free_at + count * each, now + most)
    wait = math.max(0, free_at - now - burst)
  end
  if free_at <= now then
    redis.call('UNLINK', key)
  elseif free_at ~= before or type(value) == 'table' then
    redis.call('SET', key, string.format('%.3f', free_at), 'PX', math.ceil(free_at - now))
  end
  waits[index] = math.ceil(wait)
end
return waits
