-- Purpose: reads the copy of an event at one moment.
-- KEYS: 1 seq, 2 bitmap, 3 seat_holds, 4 occupancy
-- ARGV: 1 now in ms, 2 how many holds that have run out are of use
-- Returns: nil when there is no copy, or it is not whole; else {epoch, seq, tip, bitmap, occupancy as field
--   and value in turn, ids of holds that have run out by then, one more at most than are of use, what it was
--   made under}.
local known = redis.call('HMGET', KEYS[1], 'epoch', 'seq', 'tip', 'writer', 'bytes', 'made_under')
local seats = redis.call('GET', KEYS[2])
local occupancy = redis.call('HGETALL', KEYS[4])
if not known[1] or not known[2] or known[4] or not seats or #occupancy == 0 then return false end
-- Another program may have written it.
if known[5] and tonumber(known[5]) ~= #seats then return false end
local due = redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', ARGV[1], 'LIMIT', 0, ARGV[2] + 1)
return {known[1], known[2], known[3] or '', seats, occupancy, due, known[6] or ''}
