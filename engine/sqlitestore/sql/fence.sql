-- Proves: tokens go on from the last one given out.
SELECT last FROM fence_counter WHERE one = 1
