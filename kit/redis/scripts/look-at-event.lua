-- Purpose: says where the copy of an event is, if none of its parts is missing.
-- KEYS: 1 seq, 2 bitmap, 3 seat_holds, 4 occupancy
-- ARGV: 1 bytes of the bitmap
-- Returns: nil when there is no copy, or it is not whole; else {epoch, seq, tip, how many holds it has,
--   what it was made under}.
local known = redis.call('HMGET', KEYS[1], 'epoch', 'seq', 'tip', 'writer', 'made_under')
if not known[1] or not known[2] or known[4] then return false end
if redis.call('HEXISTS', KEYS[4], 'status') == 0 or redis.call('STRLEN', KEYS[2]) ~= tonumber(ARGV[1]) then return false end
return {known[1], known[2], known[3] or '', redis.call('ZCARD', KEYS[3]), known[5] or ''}
