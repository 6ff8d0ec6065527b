-- Purpose: removes the copy of an event that is over, except its holds: no reader believes it from here on.
--   A mark stays for a while under the first key, so that a node that has not heard yet that the event is
--   over can not put an older copy there (begin-event.lua).
-- KEYS: 1 seq, 2 bitmap, 3 occupancy, 4 seat_holds
-- ARGV: 1 epoch, 2 seq, 3 life of the mark in ms
-- Returns: 1, or 0 when the copy is newer than that, and stays.
local known = redis.pcall('HMGET', KEYS[1], 'epoch', 'seq')
local e, s = nil, nil
if not known.err then e, s = tonumber(known[1] or ''), tonumber(known[2] or '') end
local epoch, seq = tonumber(ARGV[1]), tonumber(ARGV[2])
if e and s and e <= 1e12 and (e > epoch or (e == epoch and s > seq)) then return 0 end
redis.call('UNLINK', KEYS[1], KEYS[2], KEYS[3])
redis.call('HSET', KEYS[1], 'epoch', ARGV[1], 'seq', ARGV[2], 'removed', '1')
redis.call('PEXPIRE', KEYS[1], ARGV[3])
-- Another program may have put something else there.
if redis.call('TYPE', KEYS[4]).ok ~= 'zset' then redis.call('UNLINK', KEYS[4]) end
return 1
