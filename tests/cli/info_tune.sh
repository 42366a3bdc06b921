# SPDX-License-Identifier: Apache-2.0
# A file of tune: its records in their order; lines that are not whole are skipped. Numbers of 2^53 and more do not count elements.
best='"best": {"strategy": "atomic block-gather", "block_size": "256"}, "best_us": 12.5, "default_us": 25, "regret": 2'
cat >'a b.mtune' <<END
{"meshplan_tune": 1, "meshplan": "0.1.0", "time": 5, "loop": "res", "mesh": "wïng.msh", "elements": 370, "executor": "host", "machine": {"name": "A CPU"}, "device": "cpu", "kernels": "res_calc", $best}
{"meshplan_tune": 1, "loop": "cut
{"meshplan_tune": 1, "meshplan": "0.1.0", "loop": "bad\u001b[2J", "mesh": "-", "elements": 4, "executor": "host", "machine": {"name": "A CPU"}, "device": "cpu", "kernels": "k"}
{"meshplan_tune": 1, "loop": "large", "elements": -1e300}
END
printf '{"meshplan_tune": 1, "loop": "half' >>'a b.mtune'
try $MESHPLAN info 'a b.mtune'
try $MESHPLAN info 'a b.mtune' -q --json - | sed 's/^ *//'
try $MESHPLAN info 'a b.mtune' --derive
try $MESHPLAN info 'a b.mtune' --ranks 2
printf '{"meshplan_tune": 1' >empty.mtune
try $MESHPLAN info empty.mtune
