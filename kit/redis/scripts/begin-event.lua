-- Purpose: begins to make the copy of an event again, unless it is newer than what would be written, or was
--   newer when it was removed or found to be damaged (least_epoch, least_seq).
--   From here on no reader believes it, until the last part of put-event has come.
-- KEYS: 1 seq, 2 bitmap, 3 seat_holds, 4 occupancy
-- ARGV: 1 node, 2 writer (of this attempt), 3 epoch, 4 seq, 5 tip, 6 when that was, 7 how long a writer may
--   be silent in ms, 8 life of the keys in ms, 9 the bitmap, 10 what the copy is made
--   under, then words of HSET for the occupancy.
-- Returns: {status, epoch, seq, tip}, the last three of the copy as it was. begun; newer; busy (another node
--   writes).
local node, writer, epoch, seq = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local known = redis.pcall('HMGET', KEYS[1], 'epoch', 'seq', 'tip', 'writer', 'writing_since', 'least_epoch', 'least_seq')
if known.err then known = {} end
local function answer(status)
  return {status, tostring(known[1] or ''), tostring(known[2] or ''), known[3] or ''}
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local e, s = tonumber(known[1] or ''), tonumber(known[2] or '')
if e and s and e <= 1e12 then
  if e > epoch then return answer('newer') end
  if e == epoch then
    if s > seq then return answer('newer') end
    local is_ours = known[4] and string.sub(known[4], 1, #node) == node
    local is_silent = now - (tonumber(known[5] or '') or 0) > tonumber(ARGV[7])
    if known[4] and not is_ours and not is_silent then return answer('busy') end
  end
end
local least_epoch, least_seq = tonumber(known[6] or ''), tonumber(known[7] or '')
if least_epoch and least_seq and (least_epoch > epoch or (least_epoch == epoch and least_seq > seq)) then
  return {'newer', known[6], known[7], ''}
end
redis.call('UNLINK', KEYS[1], KEYS[2], KEYS[4])
redis.call('HSET', KEYS[1], 'epoch', ARGV[3], 'seq', ARGV[4], 'tip', ARGV[5], 'at', ARGV[6],
  'bytes', #ARGV[9], 'made_under', ARGV[10], 'writer', writer, 'writing_since', string.format('%.0f', now))
redis.call('SET', KEYS[2], ARGV[9])
redis.call('HSET', KEYS[4], unpack(ARGV, 11))
-- The node that writes tidies up what is left of the old holds.
local kind = redis.call('TYPE', KEYS[3]).ok
if kind ~= 'zset' and kind ~= 'none' then redis.call('UNLINK', KEYS[3]) end
for index = 1, 4 do redis.call('PEXPIRE', KEYS[index], ARGV[8]) end
return answer('begun')
