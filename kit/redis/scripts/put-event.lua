-- Purpose: brings the copy of an event from one point of its history to a later one, if the copy is of the
--   same epoch and not newer. Idempotent: everything it writes is absolute. In several parts when there is
--   much to write: `first` begins, `last` ends, and no reader believes the copy in between.
-- KEYS: 1 seq, 2 bitmap, 3 seat_holds, 4 occupancy; then for each hold that has ended its meta key and, if it
--   was for a seat, the seat's key; then the same for each hold that lives.
-- ARGV: 1 part (whole, first, middle, last), 2 node, 3 writer (of this attempt), 4 epoch, 5 and 6 seq and tip
--   that the copy has at least, 7 and 8 seq and tip that it has afterwards, 9 when that was,
--   10 bytes of the bitmap, 11 holds that there are afterwards, 12 life of the keys in ms,
--   13 how long a writer may be silent in ms, 14 how long a meta key outlives its hold in ms,
--   15 what it is made under; 16 to 19 how many words of BITFIELD, words of HSET, holds that have ended,
--   holds that live; then those words; then of each hold that has ended: id, seat ('' for places);
--   then of each hold that lives: id, seat, ordinal, zone, quantity, until.
-- Returns: {status, epoch, seq, tip}, the last three of the copy as it was. applied; newer (nothing was
--   written); busy (another node writes); gap, missing (the copy must be made again); other (the same seq
--   with another tip); taken (another attempt writes now).
local part, node, writer = ARGV[1], ARGV[2], ARGV[3]
local epoch, from_seq, from_tip = tonumber(ARGV[4]), tonumber(ARGV[5]), ARGV[6]
local to_seq, to_tip, at = tonumber(ARGV[7]), ARGV[8], ARGV[9]

local known = redis.pcall('HMGET', KEYS[1], 'epoch', 'seq', 'tip', 'writer', 'writing_since')
if known.err then return {'missing'} end
local e, s, tip = tonumber(known[1] or ''), tonumber(known[2] or ''), known[3] or ''
local function answer(status) return {status, tostring(known[1] or ''), tostring(known[2] or ''), tip} end
if not e or not s or e > 1e12 then return {'missing'} end

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

if part == 'whole' or part == 'first' then
  if e > epoch then return answer('newer') end
  if e < epoch then return answer('missing') end
  if known[4] then
    local is_ours = string.sub(known[4], 1, #node) == node
    local is_silent = now - (tonumber(known[5] or '') or 0) > tonumber(ARGV[13])
    return answer((is_ours or is_silent) and 'missing' or 'busy')
  end
  if s > to_seq then return answer('newer') end
  if s == to_seq then
    if tip ~= '' and to_tip ~= '' and tip ~= to_tip then return answer('other') end
    return answer('applied')
  end
  if s < from_seq then return answer('gap') end
  if s == from_seq and tip ~= '' and from_tip ~= '' and tip ~= from_tip then return answer('other') end
else
  if known[4] ~= writer then return answer('taken') end
end
-- The copy is no copy any more. What is made in its place within a minute is not older than it was.
local function give_up()
  redis.call('UNLINK', KEYS[1])
  redis.call('HSET', KEYS[1], 'least_epoch', known[1], 'least_seq', known[2])
  redis.call('PEXPIRE', KEYS[1], 60000)
  return answer('missing')
end
-- A key that was lost must not come back with the little that is written now.
if redis.call('HEXISTS', KEYS[4], 'status') == 0 or redis.call('STRLEN', KEYS[2]) ~= tonumber(ARGV[10]) then
  return give_up()
end

local word = 20
local function words(count)
  local first = word
  word = word + count
  return unpack(ARGV, first, word - 1)
end
local bits, fields = tonumber(ARGV[16]), tonumber(ARGV[17])
local ended, living = tonumber(ARGV[18]), tonumber(ARGV[19])
if bits > 0 then redis.call('BITFIELD', KEYS[2], words(bits)) end
if fields > 0 then redis.call('HSET', KEYS[4], words(fields)) end

local key = 5
for _ = 1, ended do
  local hold, seat = words(2)
  key = forget_hold(hold, seat, KEYS[3], key)
end
for _ = 1, living do
  local hold, seat, ordinal, zone, quantity, held_until = words(6)
  redis.call('ZADD', KEYS[3], held_until, hold)
  local meta = {'zone', zone, 'quantity', quantity, 'until', held_until}
  if seat ~= '' then meta = {'seat', seat, 'ordinal', ordinal, unpack(meta)} end
  if type(redis.pcall('HSET', KEYS[key], unpack(meta))) == 'table' then
    redis.call('UNLINK', KEYS[key])
    redis.call('HSET', KEYS[key], unpack(meta))
  end
  redis.call('PEXPIREAT', KEYS[key], string.format('%.0f', held_until + ARGV[14]))
  key = key + 1
  if seat ~= '' then
    redis.call('SET', KEYS[key], '{"hold_id":"' .. hold .. '","until":' .. held_until .. '}', 'PXAT', held_until)
    key = key + 1
  end
end

if part == 'first' or part == 'middle' then
  redis.call('HSET', KEYS[1], 'writer', writer, 'writing_since', string.format('%.0f', now))
  return answer('applied')
end
if redis.call('ZCARD', KEYS[3]) ~= tonumber(ARGV[11]) then return give_up() end
redis.call('HDEL', KEYS[1], 'writer', 'writing_since')
redis.call('HSET', KEYS[1], 'epoch', ARGV[4], 'seq', ARGV[7], 'tip', to_tip, 'at', at, 'made_under', ARGV[15])
for index = 1, 4 do redis.call('PEXPIRE', KEYS[index], ARGV[12]) end
return answer('applied')
