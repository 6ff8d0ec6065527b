-- Purpose: removes the copy of an event that is over, except its holds: no reader believes it from here on.
--   A mark stays for a while under the first key, so that a node that has not heard yet that the event is
--   over can not put an older copy there (begin-event.lua). To readers it is no copy.
-- KEYS: 1 seq, 2 bitmap, 3 occupancy, 4 seat_holds
-- ARGV: 1 epoch, 2 seq, 3 life of the mark in ms
-- Returns: 0 when the copy is newer than that, and stays; 1 when it was removed; 2 when there was none.
local known = redis.pcall('HMGET', KEYS[1], 'epoch', 'seq', 'least_epoch', 'least_seq')
if known.err then known = {} end
local epoch, seq = tonumber(ARGV[1]), tonumber(ARGV[2])
local function is_newer(other_epoch, other_seq)
  local e, s = tonumber(other_epoch or ''), tonumber(other_seq or '')
  return e and s and e <= 1e12 and (e > epoch or (e == epoch and s > seq))
end
if is_newer(known[1], known[2]) then return 0 end
local mark_epoch, mark_seq = ARGV[1], ARGV[2]
if is_newer(known[3], known[4]) then mark_epoch, mark_seq = known[3], known[4] end
local was_there = known[1]
for index = 2, 4 do was_there = was_there or redis.call('TYPE', KEYS[index]).ok ~= 'none' end
redis.call('UNLINK', KEYS[1], KEYS[2], KEYS[3])
redis.call('HSET', KEYS[1], 'least_epoch', mark_epoch, 'least_seq', mark_seq)
redis.call('PEXPIRE', KEYS[1], ARGV[3])
-- Another program may have put something else there.
if redis.call('TYPE', KEYS[4]).ok ~= 'zset' then redis.call('UNLINK', KEYS[4]) end
return was_there and 1 or 2
