# outer calls middle, and middle calls inner by sorted. With SPIN set, inner is busy for a while;
# else it waits for the file "go", and crashes.
import os
import time


def inner():
    if os.environ.get("SPIN"):
        end = time.process_time() + 1
        while time.process_time() < end:
            sum(range(1000))
        return
    open("ready", "w").close()
    while not os.path.exists("go"):
        time.sleep(0.001)
    os.abort()


def key(value):
    inner()
    return value


def middle(values):
    return sorted(values, key=key)


def outer():
    return middle([2])


outer()
